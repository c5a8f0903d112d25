#pragma once

#include "core/table/schema.h"

#include <string_view>
#include <vector>

namespace muster::retention {

// Which parts of the record were archived, how far and by whom: a row of
// services/retention/archive_progress.h by the span's beginning and the part.
inline constexpr std::string_view archives_table = "archives";

// Part of a migration: once released, a change is a new list of steps in a new migration.
std::vector<table::step> archive_tables();

}  // namespace muster::retention
