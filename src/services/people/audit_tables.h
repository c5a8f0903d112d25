#pragma once

#include "core/table/schema.h"

#include <string_view>
#include <vector>

namespace muster::people {

// Who did what, from where, and how it ended.
inline constexpr std::string_view audit_table = "audit";

// Parts of migrations: once released, a change is a new list of steps in a new migration.
std::vector<table::step> audit_tables();
std::vector<table::step> audit_by_system();

}  // namespace muster::people
