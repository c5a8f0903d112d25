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
    row picked;
    for (const auto at : positions) picked.push_back(cells[at]);
    return picked;
}

bool meets_all(const row& cells, const query& question, const checked_query& checked) {
    for (std::size_t at = 0; at < question.where.size(); ++at)
        if (!meets(cells[checked.where[at]], question.where[at])) return false;
    if (checked.after.empty()) return true;
    const row place = cells_at(cells, checked.order);
    return question.going == direction::ascending ? place > checked.after : place < checked.after;
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
    for (const auto& each : missing) {
        applied_.push_back({.version = each.version, .digest = digest(each)});
    }
    catalog_ = std::move(next);
    for (const auto& [name, table] : catalog_.tables()) {
        content& held = contents_[name];
        for (auto& [key, cells] : held.rows) {
            const std::size_t width = table.columns.size() + (table.is_sequenced() ? 1 : 0);
            const auto place = cells.end() - (table.is_sequenced() ? 1 : 0);
            cells.insert(place, width - cells.size(), value(null{}));
        }
    }
    return {};
}

result<std::int64_t> store::look(const schema& schema) const {
    CHECK_OK(standing(schema, applied_));
    return catalog_.version();
}

void store::put(
    const definition& table, const row& cells, const on_existing& policy, summary& so_far) {
    content& held = contents_[table.name];
    const row key = key_of(table, cells);
    const auto it = held.rows.find(key);
    if (it != held.rows.end() && !may_replace(table, policy, it->second, cells)) {
        ++so_far.kept;
        return;
    }
    row stored = cells;
    if (table.is_sequenced()) {
        held.last = held.last.next();
        so_far.last = std::max(so_far.last, held.last);
        stored.emplace_back(held.last.value());
    }
    held.rows.insert_or_assign(key, std::move(stored));
    ++so_far.changed;
}

result<summary> store::write(const batch& change) {
    CHECK_OK(check(change, catalog_));
    summary done;
    for (const auto& write : change.writes) {
        TRY(const definition* table, catalog_.find(write.table));
        for (const auto& cells : write.rows) put(*table, cells, write.existing, done);
    }
    for (const auto& erasure : change.erasures)
        for (const auto& key : erasure.keys)
            done.erased += contents_[erasure.table].rows.erase(key);
    return done;
}

result<page> store::read(const query& question) const {
    TRY(const checked_query checked, check(question, catalog_));
    const auto held = contents_.find(question.table);
    MUSTER_ASSERT(held != contents_.end());
    std::vector<const row*> rows;
    for (const auto& [key, cells] : held->second.rows)
        if (meets_all(cells, question, checked)) rows.push_back(&cells);
    std::ranges::sort(rows, [&](const row* left, const row* right) {
        const row first = cells_at(*left, checked.order);
        const row second = cells_at(*right, checked.order);
        return question.going == direction::ascending ? first < second : second < first;
    });
    page_builder answer(question, checked);
    for (const row* cells : rows)
        if (!answer.add(*cells)) break;
    return answer.finish();
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
