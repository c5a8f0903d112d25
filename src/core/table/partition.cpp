#include "core/table/partition.h"

namespace muster::table {

wall_time partition_start(const partitioning& partitioning, wall_time time) {
    const auto span = std::chrono::microseconds(partitioning.span).count();
    const auto since = time.time_since_epoch().count();
    auto steps = since / span;
    if (since % span < 0) --steps;
    return wall_time(std::chrono::microseconds(steps * span));
}

result<std::vector<wall_time>> partitions_in(const partition_range& range, const catalog& tables) {
    TRY(const definition* table, tables.find(range.table));
    if (!table->partition)
        return fail(errc::invalid, "table " + range.table + " is not partitioned by time");
    if (range.from < value_limits::time_min || range.until > value_limits::time_max)
        return fail(errc::invalid, "partitions must be in the years 1 to 9999");
    std::vector<wall_time> starts;
    for (auto start = partition_start(*table->partition, range.from); start < range.until;
         start += table->partition->span) {
        if (starts.size() == partition_limits::made_at_once_max)
            return fail(
                errc::invalid,
                "limit of " + std::to_string(partition_limits::made_at_once_max)
                    + " partitions per request exceeded for table " + range.table);
        starts.push_back(start);
    }
    return starts;
}

}  // namespace muster::table
