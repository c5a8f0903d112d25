#pragma once

#include "core/table/schema.h"

#include <string_view>
#include <vector>

namespace muster::fleet {

// All systems by fingerprint; rows as in services/fleet/system_row.h.
inline constexpr std::string_view systems_table = "systems";
// Facts of systems by fingerprint; rows as in services/fleet/facts_row.h.
inline constexpr std::string_view facts_table = "facts";
// Saved groups by name; rows as in services/fleet/saved_group.h.
inline constexpr std::string_view saved_groups_table = "saved_groups";
// System profiles by number; rows as in services/fleet/system_profile.h. A system without a profile
// has no row.
inline constexpr std::string_view system_profiles_table = "system_profiles";

// A released migration never changes: a change of these tables is a new migration.
std::vector<table::step> system_tables();
std::vector<table::step> saved_group_tables();
std::vector<table::step> system_profile_tables();

}  // namespace muster::fleet
