#pragma once

#include "base/time.h"
#include "core/model/job.h"

#include <cstdint>
#include <optional>
#include <string>

namespace muster {

// An event of the cluster: a job changes its stage, a node its state, work overruns a window. Task
// results are not stored as events; they come from the task rows (core/events/event_filter.h).
//
// `anchor` and `id` identify the event. Two servers that observe the same event use the same key,
// so that it is stored once.
struct event_record {
    wall_time anchor;
    std::string id;
    std::string kind;  // one of core/events/event_kind.h
    wall_time at;      // when it happened, as far as the writer knows
    std::string zone;  // empty if not applicable, as are the next four fields
    std::optional<job_id> job;
    std::optional<std::int64_t> system;
    std::string node;
    std::string actor;  // a user, a rule or a schedule
    std::string data;   // details as a JSON object

    friend bool operator==(const event_record&, const event_record&) = default;
};

}  // namespace muster
