#pragma once

#include "core/table/schema.h"

#include <vector>

namespace muster::events {

// The table of core/events/event_row.h.
//
// Parts of migrations: once released, a change is a new list of steps in a new migration.
std::vector<table::step> event_tables();
std::vector<table::step> events_by_system();

}  // namespace muster::events
