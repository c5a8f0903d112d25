#include "adapters/ledger/postgres/group.h"

#include "base/assert.h"
#include "core/table/partition.h"

#include <algorithm>

namespace muster::ledger_postgres {
namespace {

const table::definition& definition_of(const write_request& request, const std::string& name) {
    const auto match = request.tables->find(name);
    MUSTER_ASSERT(match.has_value());  // the request was checked
    return **match;
}

lane& lane_for(staged_table& into, const table::on_existing& policy) {
    const auto it = std::ranges::find(into.lanes, policy, &lane::policy);
    if (it != into.lanes.end()) return *it;
    return into.lanes.emplace_back(lane{.policy = policy, .rows = {}});
}

void stage_one(const write_request& request, std::int32_t batch, staged_group& into) {
    for (const auto& write : request.change.writes) {
        if (write.rows.empty()) continue;
        auto& table = into.tables[write.table];
        table.table = &definition_of(request, write.table);
        auto& rows = lane_for(table, write.existing).rows;
        for (const auto& cells : write.rows) rows.push_back({.batch = batch, .cells = &cells});
    }
    for (const auto& erasure : request.change.erasures)
        for (const auto& key : erasure.keys)
            into.erasures.push_back(
                {.batch = batch, .table = &definition_of(request, erasure.table), .key = &key});
}

}  // namespace

bool group_limit::accept(const write_request& next) {
    if (tables_ == nullptr) tables_ = next.tables.get();
    if (tables_ != next.tables.get()) return false;
    const ledger_sql::weight more{.rows = next.rows, .bytes = next.bytes};
    if (!size_.has_room_for(more)) return false;
    const bool clashes = std::ranges::any_of(
        next.keys, [this](const std::string& key) { return keys_.contains(key); });
    if (clashes) return false;
    keys_.insert(next.keys.begin(), next.keys.end());
    size_.add(more);
    return true;
}

std::size_t staged_table::row_count() const {
    std::size_t count = 0;
    for (const auto& lane : lanes) count += lane.rows.size();
    return count;
}

std::set<wall_time> staged_table::partitions() const {
    std::set<wall_time> starts;
    if (!table->partition) return starts;
    const auto at = table->find(table->partition->column);
    MUSTER_ASSERT(at.has_value());
    for (const auto& lane : lanes)
        for (const auto& row : lane.rows)
            starts.insert(
                table::partition_start(*table->partition, std::get<wall_time>((*row.cells)[*at])));
    return starts;
}

staged_group stage(const std::vector<write_request*>& requests) {
    staged_group staged;
    std::int32_t batch = 0;
    for (const auto* request : requests) stage_one(*request, batch++, staged);
    return staged;
}

}  // namespace muster::ledger_postgres
