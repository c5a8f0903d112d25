#include "core/table/batch.h"

#include "core/table/encoding.h"

#include <algorithm>

namespace muster::table {
namespace {

std::string column_name(const definition& table, const column& at) {
    return table.name + "." + at.name;
}

result<void> check_cell(const definition& table, const column& at, const value& cell) {
    const auto kind = type_of(cell);
    if (!kind) {
        if (at.needed == presence::optional) return {};
        return fail(
            errc::invalid,
            column_name(table, at) + " is required, but the row has no value for it");
    }
    if (*kind != at.type)
        return fail(
            errc::invalid,
            column_name(table, at) + " is " + std::string(to_string(at.type))
                + ", but the value is " + std::string(to_string(*kind)));
    if (auto fits = check(cell); !fits)
        return fail(errc::invalid, column_name(table, at) + " " + fits.error().detail());
    return {};
}

result<void> check_policy(const definition& table, const on_existing& policy) {
    const auto* grows = std::get_if<replace_if_grows>(&policy);
    if (grows == nullptr) return {};
    const auto at = table.find(grows->column);
    if (!at || *at >= table.columns.size())
        return fail(
            errc::invalid, "table " + table.name + " has no column '" + grows->column + "'");
    const auto& column = table.columns[*at];
    const bool ordered = column.type == column_type::integer || column.type == column_type::real
                         || column.type == column_type::time;
    if (ordered && column.needed == presence::required) return {};
    return fail(
        errc::invalid,
        table.name + "." + column.name + " cannot grow: it must be a required number or time");
}

result<void> check_key(const definition& table, const row& key) {
    if (key.size() != table.key.size())
        return fail(
            errc::invalid,
            "a key of table " + table.name + " has " + std::to_string(table.key.size())
                + " columns, not " + std::to_string(key.size()));
    const auto positions = table.key_positions();
    for (std::size_t at = 0; at < key.size(); ++at) {
        CHECK_OK(check_cell(table, table.columns[positions[at]], key[at]));
    }
    return {};
}

result<void> check_write(
    const write& write, const catalog& tables, std::vector<std::string>& touched) {
    TRY(const definition* table, tables.find(write.table));
    CHECK_OK(check_policy(*table, write.existing));
    const auto positions = table->key_positions();
    const std::string start = write.table + '\0';
    for (const auto& cells : write.rows) {
        CHECK_OK(check(*table, cells));
        auto& key = touched.emplace_back(start);
        for (const auto at : positions) encode(cells[at], key);
    }
    return {};
}

result<void> check_erasure(
    const erasure& erasure, const catalog& tables, std::vector<std::string>& touched) {
    TRY(const definition* table, tables.find(erasure.table));
    for (const auto& key : erasure.keys) {
        CHECK_OK(check_key(*table, key));
        touched.push_back(erasure.table + '\0' + encode(key));
    }
    return {};
}

}  // namespace

std::size_t row_count(const batch& change) {
    std::size_t count = 0;
    for (const auto& write : change.writes) count += write.rows.size();
    for (const auto& erasure : change.erasures) count += erasure.keys.size();
    return count;
}

std::size_t size_bytes(const batch& change) {
    std::size_t total = 0;
    for (const auto& write : change.writes)
        for (const auto& cells : write.rows)
            for (const auto& cell : cells) total += size_bytes(cell);
    for (const auto& erasure : change.erasures)
        for (const auto& key : erasure.keys)
            for (const auto& cell : key) total += size_bytes(cell);
    return total;
}

result<void> check(const definition& table, const row& cells) {
    if (cells.size() != table.columns.size())
        return fail(
            errc::invalid,
            "a row of table " + table.name + " has " + std::to_string(table.columns.size())
                + " columns, not " + std::to_string(cells.size()));
    for (std::size_t at = 0; at < cells.size(); ++at) {
        CHECK_OK(check_cell(table, table.columns[at], cells[at]));
    }
    return {};
}

result<void> check(const batch& change, const catalog& tables) {
    CHECK_OK(touched_keys(change, tables));
    return {};
}

result<std::vector<std::string>> touched_keys(const batch& change, const catalog& tables) {
    if (row_count(change) > batch_limits::rows_max)
        return fail(
            errc::invalid,
            "a batch has at most " + std::to_string(batch_limits::rows_max) + " rows, not "
                + std::to_string(row_count(change)));
    if (size_bytes(change) > batch_limits::bytes_max)
        return fail(
            errc::invalid,
            "a batch has at most " + std::to_string(batch_limits::bytes_max) + " bytes, not "
                + std::to_string(size_bytes(change)));
    std::vector<std::string> touched;
    touched.reserve(row_count(change));
    for (const auto& write : change.writes) {
        CHECK_OK(check_write(write, tables, touched));
    }
    for (const auto& erasure : change.erasures) {
        CHECK_OK(check_erasure(erasure, tables, touched));
    }
    std::ranges::sort(touched);
    const auto duplicate = std::ranges::adjacent_find(touched);
    if (duplicate == touched.end()) return touched;
    return fail(
        errc::invalid,
        "a batch touches a key of table " + duplicate->substr(0, duplicate->find('\0')) + " twice");
}

}  // namespace muster::table
