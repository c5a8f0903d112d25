#pragma once

#include "core/table/schema.h"

#include <chrono>
#include <string_view>
#include <vector>

namespace muster::presence {

// The presence history (core/presence/history.h); rows as in services/presence/history_rows.h. Each
// node has one small row per report period, which grows while it lasts, and sets of systems at its
// start and for its changes. Each interval with changes has a few rows. Marks tell when the cluster
// noticed a missing node.
inline constexpr std::string_view presence_chapters_table = "presence_chapters";
inline constexpr std::string_view presence_sets_table = "presence_sets";
inline constexpr std::string_view presence_changes_table = "presence_changes";
inline constexpr std::string_view presence_marks_table = "presence_marks";
// Length of a partition; whole partitions are dropped.
inline constexpr std::chrono::hours presence_span = std::chrono::hours(24 * 5);

// A released migration never changes: a change of these tables is a new migration.
std::vector<table::step> presence_tables();

}  // namespace muster::presence
