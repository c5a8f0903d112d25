#include "core/table/query.h"

#include "core/table/cursor.h"

#include <algorithm>

namespace muster::table {
namespace {

std::unexpected<error> unknown_column(const definition& table, const std::string& name) {
    return fail(errc::invalid, "table " + table.name + " has no column '" + name + "'");
}

result<void> check_values(const definition& table, const condition& condition, const column& at) {
    const std::string place = table.name + "." + at.name;
    const bool list = condition.compare == comparison::one_of;
    if (!list && condition.values.size() != 1)
        return fail(errc::invalid, place + " must be compared with one value");
    if (condition.values.size() > query_limits::list_max)
        return fail(
            errc::invalid,
            place + " is compared with more than " + std::to_string(query_limits::list_max)
                + " values");
    for (const auto& cell : condition.values) {
        const auto kind = type_of(cell);
        if (!kind || *kind != at.type)
            return fail(
                errc::invalid,
                place + " is " + std::string(to_string(at.type)) + " and cannot be compared with "
                    + (kind ? std::string(to_string(*kind)) : std::string("null")));
        if (auto fits = check(cell); !fits)
            return fail(errc::invalid, "value for " + place + " " + fits.error().detail());
    }
    return {};
}

result<std::vector<std::size_t>> positions_of_conditions(
    const query& question, const definition& table) {
    if (question.where.size() > query_limits::conditions_max)
        return fail(errc::invalid, "a query has at most 16 conditions");
    const auto columns = table.readable();
    std::vector<std::size_t> positions;
    for (const auto& each : question.where) {
        const auto at = table.find(each.column);
        if (!at) return unknown_column(table, each.column);
        CHECK_OK(check_values(table, each, columns[*at]));
        positions.push_back(*at);
    }
    return positions;
}

result<std::vector<std::size_t>> positions_of_order(
    const query& question, const definition& table) {
    if (question.order.size() > query_limits::order_max)
        return fail(errc::invalid, "a query is ordered by at most 8 columns");
    const auto columns = table.readable();
    std::vector<std::size_t> positions;
    for (const auto& name : question.order) {
        const auto at = table.find(name);
        if (!at) return unknown_column(table, name);
        if (columns[*at].needed != presence::required)
            return fail(
                errc::invalid,
                table.name + "." + name + " is optional: only required columns can give an order");
        if (std::ranges::find(positions, *at) == positions.end()) positions.push_back(*at);
    }
    for (const auto at : table.key_positions())
        if (std::ranges::find(positions, at) == positions.end()) positions.push_back(at);
    return positions;
}

}  // namespace

result<checked_query> check(const query& question, const catalog& tables) {
    checked_query checked;
    TRY(checked.table, tables.find(question.table));
    if (question.limit == 0 || question.limit > query_limits::rows_max)
        return fail(
            errc::invalid,
            "limit must be 1 to " + std::to_string(query_limits::rows_max) + ", not "
                + std::to_string(question.limit));
    TRY(checked.where, positions_of_conditions(question, *checked.table));
    TRY(checked.order, positions_of_order(question, *checked.table));
    if (!question.after.empty()) {
        const auto columns = checked.table->readable();
        std::vector<column_type> types;
        for (const auto at : checked.order) types.push_back(columns[at].type);
        TRY(checked.after, decode_cursor(question, types));
    }
    return checked;
}

std::string cursor_after(const query& question, const checked_query& checked, const row& last) {
    row cells;
    for (const auto at : checked.order) cells.push_back(last[at]);
    return encode_cursor(question, cells);
}

bool page_builder::add(row cells) {
    if (built_.rows.size() == question_.limit || bytes_ >= query_limits::page_bytes_max) {
        more_ = true;
        return false;
    }
    for (const auto& cell : cells) bytes_ += size_bytes(cell);
    built_.rows.push_back(std::move(cells));
    return true;
}

page page_builder::finish() {
    if (more_) built_.next = cursor_after(question_, checked_, built_.rows.back());
    return std::move(built_);
}

}  // namespace muster::table
