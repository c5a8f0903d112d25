#pragma once

#include "core/table/schema.h"

#include <string_view>
#include <vector>

namespace muster::cluster {

// The cluster this database belongs to: one row.
inline constexpr std::string_view cluster_table = "cluster";

// Part of a migration: once released, a change is a new list of steps in a new migration.
std::vector<table::step> cluster_tables();

}  // namespace muster::cluster
