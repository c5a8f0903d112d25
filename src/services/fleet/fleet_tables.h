#pragma once

#include "core/table/schema.h"

#include <string_view>
#include <vector>

namespace muster::fleet {

// Every system: a row of services/fleet/system_row.h by fingerprint.
inline constexpr std::string_view systems_table = "systems";
// What systems told of themselves: a row of services/fleet/facts_row.h by fingerprint.
inline constexpr std::string_view facts_table = "facts";
// Names for expressions: a row of services/fleet/saved_group.h by name.
inline constexpr std::string_view saved_groups_table = "saved_groups";
// What people wrote down about a system: a row of services/fleet/system_profile.h by its number.
// Systems about which nobody wrote anything have none.
inline constexpr std::string_view system_profiles_table = "system_profiles";

// Parts of migrations: once released, a change is a new list of steps in a new migration.
std::vector<table::step> system_tables();
std::vector<table::step> saved_group_tables();
std::vector<table::step> system_profile_tables();

}  // namespace muster::fleet
