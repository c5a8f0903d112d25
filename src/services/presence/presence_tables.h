#pragma once

#include "core/table/schema.h"

#include <chrono>
#include <string_view>
#include <vector>

namespace muster::presence {

// Who was attached where, over time (core/presence/history.h): rows of
// services/presence/history_rows.h. Of each node one small row a chapter, which grows while it
// lasts; the sets it begins and ends with; a few rows of sets a turn in which somebody came or
// went; and when the cluster noticed that a node is gone.
inline constexpr std::string_view presence_chapters_table = "presence_chapters";
inline constexpr std::string_view presence_sets_table = "presence_sets";
inline constexpr std::string_view presence_changes_table = "presence_changes";
inline constexpr std::string_view presence_marks_table = "presence_marks";
// They are dropped by whole spans of this length.
inline constexpr std::chrono::hours presence_span = std::chrono::hours(24 * 5);

// Part of a migration: once released, a change is a new list of steps in a new migration.
std::vector<table::step> presence_tables();

}  // namespace muster::presence
