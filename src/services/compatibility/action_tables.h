#pragma once

#include "core/table/schema.h"

#include <string_view>
#include <vector>

namespace muster::compatibility {

// What clients of the compatible API know of work: tables of the ledger's schema.

// 32-bit numbers of what has a name here: a row of services/compatibility/numeric_id_store.h by
// kind and name.
inline constexpr std::string_view numbers_table = "numbers";
// Chains that somebody puts together: a row of services/compatibility/action_chain_store.h by user
// and label.
inline constexpr std::string_view action_chains_table = "action_chains";

// A released migration never changes: a change of these tables is a new migration.
std::vector<table::step> action_tables();

}  // namespace muster::compatibility
