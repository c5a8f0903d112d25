#pragma once

#include "core/table/value.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::table {

enum class presence { required, optional };

struct column {
    std::string name;
    column_type type = column_type::text;
    presence needed = presence::required;

    friend bool operator==(const column&, const column&) = default;
};

// The table is cut into spans of time so that old ones can be dropped whole. The column must be a
// required time and part of the key.
struct partitioning {
    std::string column;
    std::chrono::hours span = std::chrono::hours(24);

    friend bool operator==(const partitioning&, const partitioning&) = default;
};

// Whether the engine numbers every change of a row in commit order, so that others can follow.
enum class sequencing { none, by_commit };

// One table, declared once; every engine's statements are made from this.
//
// A sequenced table has one more column, `sequence` (integer), after the declared ones: rows are
// written without it and read with it.
struct definition {
    std::string name;
    std::vector<column> columns;
    std::vector<std::string> key;
    std::optional<partitioning> partition;
    sequencing sequenced = sequencing::none;

    friend bool operator==(const definition&, const definition&) = default;

    bool is_sequenced() const { return sequenced == sequencing::by_commit; }
    std::vector<column> readable() const;  // the columns of a row that is read
    std::optional<std::size_t> find(std::string_view column_name) const;  // among the readable ones
    std::vector<std::size_t> key_positions() const;
};

inline constexpr std::string_view sequence_column = "sequence";

struct definition_limits {
    static constexpr std::size_t name_bytes_max = 40;  // leaves room for an engine's suffixes
    static constexpr std::size_t columns_max = 100;
    static constexpr std::chrono::hours span_max = std::chrono::hours(24 * 366);
};

result<void> check_name(std::string_view text, std::string_view name);
result<void> check(const definition& table);

// The key cells of a row as one string: equal exactly when the keys are equal.
std::string key_text(const definition& table, const row& cells);

}  // namespace muster::table
