#pragma once

#include "core/table/schema.h"

#include <string_view>
#include <vector>

namespace muster::revision {

// Published revisions of common data, by number: services/revision/revision_store.h.
inline constexpr std::string_view revisions_table = "revisions";
// Their sections, by digest: one that many revisions share is one row.
inline constexpr std::string_view revision_contents_table = "revision_contents";

std::vector<table::step> revision_tables();

}  // namespace muster::revision
