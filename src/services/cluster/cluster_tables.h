#pragma once

#include "core/table/schema.h"

#include <string_view>
#include <vector>

namespace muster::cluster {

// Names the cluster that this database belongs to. It has one row.
inline constexpr std::string_view cluster_table = "cluster";

// A released migration never changes: a change of these tables is a new migration.
std::vector<table::step> cluster_tables();

}  // namespace muster::cluster
