#pragma once

#include "core/table/schema.h"

#include <cstddef>
#include <string>
#include <vector>

namespace muster::table {

// A span of time of one partitioned table.
struct partition_range {
    std::string table;
    wall_time from;
    wall_time until;
};

struct partition_limits {
    static constexpr std::size_t made_at_once_max = 1000;
};

// Where the partition that holds `time` begins; partitions are aligned to 1970-01-01 UTC.
wall_time partition_start(const partitioning& partitioning, wall_time time);

// The starts of the partitions that hold the times from `from` up to, not including, `until`.
// errc::invalid when the table has no partitions or there would be too many.
result<std::vector<wall_time>> partitions_in(const partition_range& range, const catalog& tables);

}  // namespace muster::table
