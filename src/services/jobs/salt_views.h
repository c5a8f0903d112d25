#pragma once

#include "core/table/schema.h"

#include <vector>

namespace muster::jobs {

// The relations that readers of Salt's PostgreSQL job cache know (`jids`, `salt_returns`,
// `salt_events`), as views of jobs and tasks. They cost nothing to write and only exist where the
// engine is PostgreSQL. docs/internals/salt_consumers.md says what they show.
//
// Part of a migration: once released, a change is a new list of steps in a new migration.
std::vector<table::step> salt_views();

// New jobs and returns in one order: whoever reads `salt_events` by `id > last` misses nothing.
std::vector<table::step> salt_events_in_one_order();

}  // namespace muster::jobs
