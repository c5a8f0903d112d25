#pragma once

#include "core/table/schema.h"

#include <string_view>
#include <vector>

namespace muster::windows {

// Calendars, maintenance schedules and recurring schedules (services/windows/window_record.h).
inline constexpr std::string_view window_records_table = "window_records";

// Steps of a migration. Once released they are fixed: a change is a new migration.
std::vector<table::step> window_tables();

}  // namespace muster::windows
