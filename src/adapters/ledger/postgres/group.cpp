#include "adapters/ledger/postgres/group.h"

#include "base/assert.h"
#include "core/table/partition.h"

#include <algorithm>

namespace muster::ledger_postgres {
namespace {

const table::definition& find_definition(const write_request& request, const std::string& name) {
    const auto definition = request.tables->find(name);
    MUSTER_ASSERT(definition.has_value());  // the request was checked
    return **definition;
}

insert_batch& find_or_add_batch(staged_table& table, const table::on_existing& policy) {
    const auto it = std::ranges::find(table.insert_batches, policy, &insert_batch::policy);
    if (it != table.insert_batches.end()) return *it;
    return table.insert_batches.emplace_back(insert_batch{.policy = policy, .rows = {}});
}

void stage_request(const write_request& request, std::int32_t batch, staged_group& group) {
    for (const auto& write : request.change.writes) {
        if (write.rows.empty()) continue;
        auto& table = group.tables[write.table];
        table.table = &find_definition(request, write.table);
        auto& rows = find_or_add_batch(table, write.existing).rows;
        for (const auto& cells : write.rows) rows.push_back({.batch = batch, .cells = &cells});
    }
    for (const auto& erasure : request.change.erasures)
        for (const auto& key : erasure.keys)
            group.erasures.push_back(
                {.batch = batch, .table = &find_definition(request, erasure.table), .key = &key});
}

}  // namespace

bool group_limit::accept(const write_request& request) {
    if (tables_ == nullptr) tables_ = request.tables.get();
    if (tables_ != request.tables.get()) return false;
    const ledger_sql::group_weight weight{.rows = request.rows, .bytes = request.bytes};
    if (!size_.fits(weight)) return false;
    const bool clashes = std::ranges::any_of(
        request.keys, [this](const std::string& key) { return keys_.contains(key); });
    if (clashes) return false;
    keys_.insert(request.keys.begin(), request.keys.end());
    size_.add(weight);
    return true;
}

std::size_t staged_table::row_count() const {
    std::size_t count = 0;
    for (const auto& insert_batch : insert_batches) count += insert_batch.rows.size();
    return count;
}

std::set<wall_time> staged_table::partitions() const {
    std::set<wall_time> starts;
    if (!table->partition) return starts;
    const auto column = table->find(table->partition->column);
    MUSTER_ASSERT(column.has_value());
    for (const auto& insert_batch : insert_batches)
        for (const auto& row : insert_batch.rows)
            starts.insert(table::partition_start(
                *table->partition, std::get<wall_time>((*row.cells)[*column])));
    return starts;
}

staged_group stage(const std::vector<write_request*>& requests) {
    staged_group staged;
    std::int32_t batch = 0;
    for (const auto* request : requests) stage_request(*request, batch++, staged);
    return staged;
}

}  // namespace muster::ledger_postgres
