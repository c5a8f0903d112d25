#pragma once

#include "core/table/schema.h"

#include <string_view>
#include <vector>

namespace muster::content {

// Packages of repositories, each once: a row of services/content/package_row.h by its checksum.
inline constexpr std::string_view content_packages_table = "content_packages";
// Channels, repositories, errata, profiles and subscriptions: a row of
// services/content/content_record.h by kind and name.
inline constexpr std::string_view content_records_table = "content_records";
// What is installed on systems, by digest: the same set of many systems is one row.
inline constexpr std::string_view content_sets_table = "content_sets";

// Part of a migration: once released, a change is a new list of steps in a new migration.
std::vector<table::step> content_tables();

}  // namespace muster::content
