#pragma once

#include "core/table/definition.h"
#include "core/table/value.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::table {

// Reads the cells of a row in order and remembers the first invalid cell; finish() reports it.
class row_reader {
public:
    row_reader(std::string_view table, const row& cells) : table_(table), cells_(cells) {}

    template <class T>
    T take(std::string_view column) {
        const auto* const cell =
            position_ < cells_.size() ? std::get_if<T>(&cells_[position_]) : nullptr;
        ++position_;
        if (cell == nullptr) mark_faulty(column);
        return cell == nullptr ? T() : *cell;
    }

    template <class T>
    std::optional<T> take_optional(std::string_view column) {
        if (position_ < cells_.size() && std::holds_alternative<null>(cells_[position_])) {
            ++position_;
            return std::nullopt;
        }
        return take<T>(column);
    }

    std::int64_t take_from(std::string_view column, std::int64_t min, std::int64_t max) {
        const auto value = take<std::int64_t>(column);
        if (value < min || value > max) mark_faulty(column);
        return value;
    }

    // Of a sequenced table; after its declared columns.
    std::int64_t take_sequence() { return take<std::int64_t>(sequence_column); }

    void mark_faulty(std::string_view column) {
        if (faulty_column_.empty()) faulty_column_ = column;
    }

    // errc::corrupt with the column's name.
    result<void> finish() {
        if (position_ != cells_.size()) mark_faulty("number of columns");
        if (faulty_column_.empty()) return {};
        return fail(
            errc::corrupt,
            "row of table \"" + std::string(table_) + "\" has an invalid " + faulty_column_);
    }

private:
    std::string_view table_;
    const row& cells_;
    std::size_t position_ = 0;
    std::string faulty_column_;
};

// The place of a row in the change sequence of its table, whatever else is in it: the last column
// of a row that was read (definition.h). errc::corrupt if the table has none.
inline result<std::int64_t> sequence_of(std::string_view table, const row& cells) {
    const auto* const last = cells.empty() ? nullptr : std::get_if<std::int64_t>(&cells.back());
    if (last == nullptr)
        return fail(errc::corrupt, "row of table \"" + std::string(table) + "\" has no sequence");
    return *last;
}

// A cell that may be empty.
template <class T>
value optional_cell(const std::optional<T>& cell) {
    return cell ? value(*cell) : value(null());
}

}  // namespace muster::table
