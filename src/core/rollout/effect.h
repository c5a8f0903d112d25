#pragma once

#include "base/time.h"
#include "core/fleet/system_set.h"
#include "core/model/job.h"
#include "core/model/system.h"

#include <compare>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

// What the rollout engine wants done. The driver performs effects in order.
namespace muster::rollout {

// One attempt of one job on one system.
struct attempt_key {
    job_id job;
    system_number system;
    std::uint32_t attempt = 1;
    friend bool operator==(const attempt_key&, const attempt_key&) = default;
    friend std::strong_ordering operator<=>(const attempt_key&, const attempt_key&) = default;
};

// Send the task to its agent. Where the number of running tasks is limited in the whole cluster (a
// batch), it is first recorded as picked up by this node, and sent only when that is durable:
// whoever takes the system over counts it, so the limit holds across a crash. Elsewhere the agent's
// own word that it has the task brings it on record, and most tasks end sooner and need one row
// instead of two. Sent only while this node's lease holds. What was not recorded or may not begin
// now goes back as engine::not_recorded.
struct start {
    attempt_key task;
    std::uint64_t ticket = 0;  // of this start alone: the same attempt may be started anew
    friend bool operator==(const start&, const start&) = default;
};
// Send a task again: its agent was away before it said that it has it. The agent's journal keeps it
// from running twice.
struct send_again {
    attempt_key task;
    friend bool operator==(const send_again&, const send_again&) = default;
};
// Ask the agent what became of a task that is overdue.
struct ask {
    attempt_key task;
    friend bool operator==(const ask&, const ask&) = default;
};
// Tell the agent to end a task; its return still comes.
struct kill {
    attempt_key task;
    friend bool operator==(const kill&, const kill&) = default;
};
// Record how an attempt ended: completed, failed, or queued for the next attempt.
struct conclude {
    attempt_key task;
    task_state to = task_state::completed;
    std::string reason;
    friend bool operator==(const conclude&, const conclude&) = default;
};
// Record that these never-started tasks failed.
struct fail_absent {
    job_id job;
    fleet::system_set systems;
    std::string reason;
    friend bool operator==(const fail_absent&, const fail_absent&) = default;
};
// The job must stop in the whole cluster; here it has stopped already.
struct halt {
    job_id job;
    std::string reason;
    friend bool operator==(const halt&, const halt&) = default;
};
// Nothing of the job is left to start or to wait for on this node. Told again after a gain, and
// when the job has ended.
struct share_done {
    job_id job;
    friend bool operator==(const share_done&, const share_done&) = default;
};

using effect = std::variant<start, send_again, ask, kill, conclude, fail_absent, halt, share_done>;
using effects = std::vector<effect>;

}  // namespace muster::rollout
