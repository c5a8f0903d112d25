#pragma once

#include "core/model/job.h"
#include "core/table/partition.h"

#include <chrono>
#include <optional>

namespace muster::jobs {

// A stretch of the record that is dropped as a whole.
struct record_span {
    wall_time from;
    wall_time until;

    friend bool operator==(const record_span&, const record_span&) = default;
};

struct retention_facts {
    wall_time now;
    std::optional<wall_time> oldest;  // of all jobs and events on record
    // The oldest one that is still open, or that an open one waits for.
    std::optional<job_id> oldest_needed;
};

// What is to go next, if anything is: the oldest span, when all of it is older than `keep` and
// nobody needs a job of it. So what is kept has no gaps, and a job that is open holds
// back everything that is younger than it.
std::optional<record_span> next_to_retire(
    const retention_facts& facts, std::chrono::hours keep, const table::partitioning& partitioning);

// Whether only an open job stands in the way of the oldest span.
bool is_held_back(
    const retention_facts& facts, std::chrono::hours keep, const table::partitioning& partitioning);

}  // namespace muster::jobs
