#pragma once

#include "adapters/ledger/postgres/connection.h"
#include "core/table/definition.h"

#include <optional>
#include <string>
#include <string_view>

namespace muster::ledger_postgres {

// A partition is a table named after its parent and the hour it begins at: events_p2026111500.
std::string partition_name(const table::definition& parent, wall_time start);
std::optional<wall_time> start_of_partition(const table::definition& parent, std::string_view name);

// Makes the partition when it is missing; others may do the same at the same time.
result<void> make_partition(
    connection& on, const table::definition& parent, wall_time start, instant deadline);

// Drops those that end at or before `before`.
result<void> drop_partitions(
    connection& on, const table::definition& parent, wall_time before, instant deadline);

}  // namespace muster::ledger_postgres
