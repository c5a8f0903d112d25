#pragma once

#include "core/table/schema.h"

#include <string_view>

namespace muster::cluster {

// The ledger's tables and their whole history. Append migrations; never alter a released one.
table::schema ledger_schema();

// The cluster this database belongs to: one row.
inline constexpr std::string_view cluster_table = "cluster";
// Who did what, from where, and how it ended.
inline constexpr std::string_view audit_table = "audit";
// Every system: a row of roles/fleet/system_row.h by fingerprint.
inline constexpr std::string_view systems_table = "systems";
// What systems told of themselves: a row of roles/fleet/facts_row.h by fingerprint.
inline constexpr std::string_view facts_table = "facts";

}  // namespace muster::cluster
