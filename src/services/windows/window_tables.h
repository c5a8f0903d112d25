#pragma once

#include "core/table/schema.h"

#include <string_view>
#include <vector>

namespace muster::windows {

// Calendars, maintenance schedules and what runs again and again:
// services/windows/window_record.h.
inline constexpr std::string_view window_records_table = "window_records";

// Part of a migration: once released, a change is a new list of steps in a new migration.
std::vector<table::step> window_tables();

}  // namespace muster::windows
