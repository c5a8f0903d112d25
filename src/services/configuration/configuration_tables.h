#pragma once

#include "core/table/schema.h"

#include <string_view>
#include <vector>

namespace muster::configuration {

// What people keep about systems and files for them: tables of the ledger's schema.

// Configuration channels and other small records: a row of services/configuration/record.h by kind
// and name. Few, so that every server follows them.
inline constexpr std::string_view config_records_table = "config_records";
// Files of a channel or of one system: a row of services/configuration/config_file.h by holder and
// path.
inline constexpr std::string_view config_files_table = "config_files";
// What files hold, by SHA-256: the same content is kept once. Forgotten when no file has it.
inline constexpr std::string_view config_blobs_table = "config_blobs";
// Where that was before it could be forgotten: servers of an older version may still write here.
inline constexpr std::string_view config_contents_table = "config_contents";

std::vector<table::step> configuration_tables();
std::vector<table::step> contents_that_can_be_forgotten();

}  // namespace muster::configuration
