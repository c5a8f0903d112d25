#include "core/table/store.h"

#include "base/assert.h"
#include "core/table/partition.h"

#include <algorithm>

namespace muster::table {
namespace {

row key_of(const definition& table, const row& cells) {
    row key;
    for (const auto at : table.key_positions()) key.push_back(cells[at]);
    return key;
}

bool same_cells(const definition& table, const row& current, const row& next) {
    return std::equal(
        next.begin(),
        next.begin() + static_cast<std::ptrdiff_t>(table.columns.size()),
        current.begin());
}

bool meets(const value& cell, const condition& condition) {
    if (std::holds_alternative<null>(cell)) return false;
    switch (condition.compare) {
        case comparison::equal:
            return cell == condition.values.front();
        case comparison::less:
            return cell < condition.values.front();
        case comparison::less_or_equal:
            return cell <= condition.values.front();
        case comparison::greater:
            return cell > condition.values.front();
        case comparison::greater_or_equal:
            return cell >= condition.values.front();
        case comparison::one_of:
            return std::ranges::find(condition.values, cell) != condition.values.end();
    }
    MUSTER_ASSERT(false);
}

row cells_at(const row& cells, const std::vector<std::size_t>& positions) {
    row result;
    for (const auto at : positions) result.push_back(cells[at]);
    return result;
}

bool meets_all(const row& cells, const table::query& query, const checked_query& checked) {
    for (std::size_t at = 0; at < query.where.size(); ++at)
        if (!meets(cells[checked.where[at]], query.where[at])) return false;
    if (checked.after.empty()) return true;
    const row place = cells_at(cells, checked.order);
    return query.going == direction::ascending ? place > checked.after : place < checked.after;
}

}  // namespace

bool may_replace(
    const definition& table, const on_existing& policy, const row& current, const row& next) {
    if (std::holds_alternative<keep_existing>(policy)) return false;
    if (const auto* growing = std::get_if<replace_if_grows>(&policy)) {
        const auto at = table.find(growing->column);
        MUSTER_ASSERT(at.has_value());
        return next[*at] > current[*at];
    }
    return !same_cells(table, current, next);
}

result<void> store::migrate(const schema& schema) {
    TRY(catalog next, catalog::of(schema));
    TRY(const std::vector<migration> missing, pending(schema, applied_));
    for (const auto& migration : missing) {
        applied_.push_back({.version = migration.version, .digest = digest(migration)});
    }
    catalog_ = std::move(next);
    for (const auto& [name, table] : catalog_.tables()) {
        content& table_content = contents_[name];
        for (auto& [key, cells] : table_content.rows) {
            const std::size_t width = table.columns.size() + (table.is_sequenced() ? 1 : 0);
            const auto place = cells.end() - (table.is_sequenced() ? 1 : 0);
            cells.insert(place, width - cells.size(), value(null{}));
        }
    }
    return {};
}

result<std::int64_t> store::current_version(const schema& schema) const {
    CHECK_OK(applied_schema(schema, applied_));
    return catalog_.version();
}

void store::put(
    const definition& table, const row& cells, const on_existing& policy, table::summary& summary) {
    content& table_content = contents_[table.name];
    const row key = key_of(table, cells);
    const auto it = table_content.rows.find(key);
    if (it != table_content.rows.end() && !may_replace(table, policy, it->second, cells)) {
        ++summary.kept;
        return;
    }
    row stored = cells;
    if (table.is_sequenced()) {
        table_content.last = table_content.last.next();
        summary.last = std::max(summary.last, table_content.last);
        stored.emplace_back(table_content.last.value());
    }
    table_content.rows.insert_or_assign(key, std::move(stored));
    ++summary.changed;
}

result<summary> store::write(const batch& change) {
    CHECK_OK(check(change, catalog_));
    summary result;
    for (const auto& write : change.writes) {
        TRY(const definition* table, catalog_.find(write.table));
        for (const auto& cells : write.rows) put(*table, cells, write.existing, result);
    }
    for (const auto& erasure : change.erasures)
        for (const auto& key : erasure.keys)
            result.erased += contents_[erasure.table].rows.erase(key);
    return result;
}

result<page> store::read(const table::query& query) const {
    TRY(const checked_query checked, check(query, catalog_));
    const auto table_content = contents_.find(query.table);
    MUSTER_ASSERT(table_content != contents_.end());
    std::vector<const row*> rows;
    for (const auto& [key, cells] : table_content->second.rows)
        if (meets_all(cells, query, checked)) rows.push_back(&cells);
    std::ranges::sort(rows, [&](const row* left, const row* right) {
        const row first = cells_at(*left, checked.order);
        const row second = cells_at(*right, checked.order);
        return query.going == direction::ascending ? first < second : second < first;
    });
    page_builder builder(query, checked);
    for (const row* cells : rows)
        if (!builder.add(*cells)) break;
    return builder.finish();
}

result<sequence> store::last_sequence(const std::string& table) const {
    TRY(const definition* definition, catalog_.find(table));
    if (!definition->is_sequenced())
        return fail(errc::invalid, "table " + table + " has no change sequence");
    return contents_.at(table).last;
}

result<std::size_t> store::retire(const std::string& table, wall_time before) {
    TRY(const definition* definition, catalog_.find(table));
    if (!definition->partition)
        return fail(errc::invalid, "table " + table + " is not partitioned by time");
    const auto at = definition->find(definition->partition->column);
    MUSTER_ASSERT(at.has_value());
    const value end = partition_start(*definition->partition, before);
    return std::erase_if(
        contents_[table].rows, [&](const auto& entry) { return entry.second[*at] < end; });
}

}  // namespace muster::table
