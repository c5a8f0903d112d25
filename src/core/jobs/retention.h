#pragma once

#include "core/model/job.h"
#include "core/table/partition.h"

#include <chrono>
#include <optional>

namespace muster::jobs {

// A time span of jobs and events that is deleted as a whole.
struct record_span {
    wall_time from;
    wall_time until;

    friend bool operator==(const record_span&, const record_span&) = default;
};

struct retention_facts {
    wall_time now;
    std::optional<wall_time> oldest;  // of all recorded jobs and events
    // The oldest job that is open or that an open job waits for.
    std::optional<job_id> oldest_needed;
};

// The next span to delete: the oldest one, if all of it is older than `keep` and no job in it is
// needed. So the remaining records have no gaps, and an open job blocks all younger spans.
std::optional<record_span> next_to_retire(
    const retention_facts& facts, std::chrono::hours keep, const table::partitioning& partitioning);

// Whether the oldest span is expired but blocked by a needed job.
bool is_held_back(
    const retention_facts& facts, std::chrono::hours keep, const table::partitioning& partitioning);

}  // namespace muster::jobs
