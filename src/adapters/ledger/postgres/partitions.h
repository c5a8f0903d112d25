#pragma once

#include "adapters/ledger/postgres/connection.h"
#include "core/table/definition.h"

#include <optional>
#include <string>
#include <string_view>

namespace muster::ledger_postgres {

// A partition is a table named after its parent and the hour it begins at: events_p2026111500.
std::string partition_name(const table::definition& parent, wall_time start);
std::optional<wall_time> parse_partition_start(
    const table::definition& parent, std::string_view name);

// Creates the partition when it is missing; other servers may do the same at the same time.
result<void> create_partition(
    connection& connection, const table::definition& parent, wall_time start, instant deadline);

// Drops the partitions that end at or before `before`.
result<void> drop_partitions_before(
    connection& connection, const table::definition& parent, wall_time before, instant deadline);

}  // namespace muster::ledger_postgres
