#include "core/table/definition.h"

#include "base/assert.h"
#include "core/table/encoding.h"

#include <algorithm>
#include <set>

namespace muster::table {
namespace {

bool is_name_character(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_';
}

result<void> check_columns(const definition& table) {
    if (table.columns.empty() || table.columns.size() > definition_limits::columns_max)
        return fail(errc::invalid, "table " + table.name + " must have 1 to 100 columns");
    std::set<std::string> names{std::string(sequence_column)};
    for (const auto& column : table.columns) {
        CHECK_OK(check_name("column", column.name));
        if (!names.insert(column.name).second)
            return fail(
                errc::invalid,
                "table " + table.name + ": column " + column.name
                    + " is declared twice or reserved");
    }
    return {};
}

result<void> check_key(const definition& table) {
    if (table.key.empty()) return fail(errc::invalid, "table " + table.name + " has no key");
    std::set<std::string> names;
    for (const auto& name : table.key) {
        const auto at = table.find(name);
        if (!at || *at >= table.columns.size() || !names.insert(name).second)
            return fail(
                errc::invalid,
                "table " + table.name + ": key column " + name + " is not a column or named twice");
        if (table.columns[*at].needed != presence::required)
            return fail(
                errc::invalid,
                "table " + table.name + ": key column " + name + " must be required");
    }
    return {};
}

result<void> check_partition(const definition& table) {
    if (!table.partition) return {};
    const auto& [name, span] = *table.partition;
    const auto at = table.find(name);
    if (!at || *at >= table.columns.size() || table.columns[*at].type != column_type::time
        || std::ranges::find(table.key, name) == table.key.end())
        return fail(
            errc::invalid,
            "table " + table.name + ": partition column " + name + " must be a time of the key");
    if (span < std::chrono::hours(1) || span > definition_limits::span_max)
        return fail(
            errc::invalid, "table " + table.name + ": partitions span one hour to one year");
    return {};
}

}  // namespace

std::vector<column> definition::readable() const {
    auto all = columns;
    if (is_sequenced())
        all.push_back({.name = std::string(sequence_column), .type = column_type::integer});
    return all;
}

std::optional<std::size_t> definition::find(std::string_view column_name) const {
    for (std::size_t index = 0; index < columns.size(); ++index)
        if (columns[index].name == column_name) return index;
    if (is_sequenced() && column_name == sequence_column) return columns.size();
    return std::nullopt;
}

std::vector<std::size_t> definition::key_positions() const {
    std::vector<std::size_t> positions;
    positions.reserve(key.size());
    for (const auto& column_name : key) {
        const auto position = find(column_name);
        MUSTER_ASSERT(position.has_value());
        positions.push_back(*position);
    }
    return positions;
}

result<void> check_name(std::string_view text, std::string_view name) {
    const bool valid = !name.empty() && name.size() <= definition_limits::name_bytes_max
                       && name.front() >= 'a' && name.front() <= 'z'
                       && std::ranges::all_of(name, is_name_character);
    if (valid) return {};
    return fail(
        errc::invalid,
        std::string(text) + " name '" + std::string(name)
            + "' must be 1 to 40 of a-z, 0-9 and _, starting with a letter");
}

result<void> check(const definition& table) {
    CHECK_OK(check_name("table", table.name));
    if (table.name.starts_with("muster_"))
        return fail(errc::invalid, "table names starting with muster_ are reserved: " + table.name);
    CHECK_OK(check_columns(table));
    CHECK_OK(check_key(table));
    return check_partition(table);
}

std::string key_text(const definition& table, const row& cells) {
    std::string text;
    for (const auto at : table.key_positions()) encode(cells[at], text);
    return text;
}

}  // namespace muster::table
