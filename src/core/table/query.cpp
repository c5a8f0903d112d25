#include "core/table/query.h"

#include "core/table/cursor.h"

#include <algorithm>

namespace muster::table {
namespace {

std::unexpected<error> unknown_column(const definition& table, const std::string& name) {
    return fail(errc::invalid, "table " + table.name + " has no column '" + name + "'");
}

result<void> check_values(
    const definition& table, const condition& condition, const table::column& column) {
    const std::string name = table.name + "." + column.name;
    const bool list = condition.compare == comparison::one_of;
    if (!list && condition.values.size() != 1)
        return fail(errc::invalid, name + " must be compared with one value");
    if (condition.values.size() > query_limits::list_max)
        return fail(
            errc::invalid,
            name + " is compared with more than " + std::to_string(query_limits::list_max)
                + " values");
    for (const auto& cell : condition.values) {
        const auto type = type_of(cell);
        if (!type || *type != column.type)
            return fail(
                errc::invalid,
                name + " is " + std::string(to_string(column.type))
                    + " and cannot be compared with "
                    + (type ? std::string(to_string(*type)) : std::string("null")));
        if (auto fits = check(cell); !fits)
            return fail(errc::invalid, "value for " + name + " " + fits.error().detail());
    }
    return {};
}

result<std::vector<std::size_t>> positions_of_conditions(
    const table::query& query, const definition& table) {
    if (query.where.size() > query_limits::conditions_max)
        return fail(errc::invalid, "a query has at most 16 conditions");
    const auto columns = table.readable();
    std::vector<std::size_t> positions;
    for (const auto& condition : query.where) {
        const auto position = table.find(condition.column);
        if (!position) return unknown_column(table, condition.column);
        CHECK_OK(check_values(table, condition, columns[*position]));
        positions.push_back(*position);
    }
    return positions;
}

result<std::vector<std::size_t>> positions_of_order(
    const table::query& query, const definition& table) {
    if (query.order.size() > query_limits::order_max)
        return fail(errc::invalid, "a query is ordered by at most 8 columns");
    const auto columns = table.readable();
    std::vector<std::size_t> positions;
    for (const auto& name : query.order) {
        const auto position = table.find(name);
        if (!position) return unknown_column(table, name);
        if (columns[*position].needed != presence::required)
            return fail(
                errc::invalid,
                table.name + "." + name + " is optional: only required columns can give an order");
        if (std::ranges::find(positions, *position) == positions.end())
            positions.push_back(*position);
    }
    for (const auto position : table.key_positions())
        if (std::ranges::find(positions, position) == positions.end())
            positions.push_back(position);
    return positions;
}

}  // namespace

result<checked_query> check(const table::query& query, const catalog& tables) {
    checked_query checked;
    TRY(checked.table, tables.find(query.table));
    if (query.limit == 0 || query.limit > query_limits::rows_max)
        return fail(
            errc::invalid,
            "limit must be 1 to " + std::to_string(query_limits::rows_max) + ", not "
                + std::to_string(query.limit));
    TRY(checked.where, positions_of_conditions(query, *checked.table));
    TRY(checked.order, positions_of_order(query, *checked.table));
    if (!query.after.empty()) {
        const auto columns = checked.table->readable();
        std::vector<column_type> types;
        for (const auto position : checked.order) types.push_back(columns[position].type);
        TRY(checked.after, decode_cursor(query, types));
    }
    return checked;
}

std::string cursor_after(const table::query& query, const checked_query& checked, const row& last) {
    row cells;
    for (const auto position : checked.order) cells.push_back(last[position]);
    return encode_cursor(query, cells);
}

bool page_builder::add(row cells) {
    if (page_.rows.size() == query_.limit || bytes_ >= query_limits::page_bytes_max) {
        more_ = true;
        return false;
    }
    for (const auto& cell : cells) bytes_ += size_bytes(cell);
    page_.rows.push_back(std::move(cells));
    return true;
}

page page_builder::finish() {
    if (more_) page_.next = cursor_after(query_, checked_, page_.rows.back());
    return std::move(page_);
}

}  // namespace muster::table
