#pragma once

#include "core/table/schema.h"

#include <string_view>
#include <vector>

namespace muster::people {

// Audit entries: who did what, from where, with which outcome.
inline constexpr std::string_view audit_table = "audit";

// A released migration never changes: a change of this table is a new migration.
std::vector<table::step> audit_tables();
std::vector<table::step> audit_by_system();

}  // namespace muster::people
