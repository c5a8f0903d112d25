#pragma once

#include "base/time.h"
#include "core/model/job.h"

#include <cstdint>
#include <optional>
#include <string>

namespace muster {

// Something that happened in the cluster, for whoever wants to hear of it later: a job's stage, a
// node's state, an overrun window. What a task returned is no such record: the task's own row tells
// it (core/events/event_filter.h).
//
// `anchor` and `id` are the event's name. Two servers that see the same thing happen give it the
// same name, so that it is on record once.
struct event_record {
    wall_time anchor;
    std::string id;
    std::string kind;  // one of core/events/event_kind.h
    wall_time at;      // when it happened, as far as the teller knows
    std::string zone;  // empty: none in particular; so are the four below
    std::optional<job_id> job;
    std::optional<std::int64_t> system;
    std::string node;
    std::string by;    // who did it: a user, a rule, a schedule
    std::string data;  // what else there is to tell: a JSON object

    friend bool operator==(const event_record&, const event_record&) = default;
};

}  // namespace muster
