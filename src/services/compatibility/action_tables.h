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

// Part of a migration: once released, a change is a new list of steps in a new migration.
std::vector<table::step> action_tables();

}  // namespace muster::compatibility
