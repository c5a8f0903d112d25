#pragma once

#include "core/table/schema.h"

#include <vector>

namespace muster::events {

// The table of core/events/event_row.h.
//
// Steps of migrations. Once released they are fixed: a change is a new migration.
std::vector<table::step> event_tables();
std::vector<table::step> events_by_system();

}  // namespace muster::events
