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

// The effects of the task scheduler. The caller executes them in order.
namespace muster::rollout {

// One attempt of one job on one system.
struct attempt_key {
    job_id job;
    system_number system;
    std::uint32_t attempt = 1;
    friend bool operator==(const attempt_key&, const attempt_key&) = default;
    friend std::strong_ordering operator<=>(const attempt_key&, const attempt_key&) = default;
};

// Send the task to its agent, but only while this node's lease holds. If the job has a batch,
// record the task as picked up first and send it when that is durable. Then a node that takes the
// system over counts the task, and the limit holds across a crash. Without a batch the agent's
// confirmation is recorded; most tasks end earlier and need one row instead of two. A start that is
// not recorded or not allowed is reported by task_scheduler::on_not_recorded.
struct start {
    attempt_key task;
    std::uint64_t ticket = 0;  // identifies this start; an attempt can be started again
    friend bool operator==(const start&, const start&) = default;
};
// Send a task again: its agent detached before it confirmed the task. The agent's journal prevents
// a second run.
struct resend_task {
    attempt_key task;
    friend bool operator==(const resend_task&, const resend_task&) = default;
};
// Ask the agent for the state of an overdue task.
struct query_task {
    attempt_key task;
    friend bool operator==(const query_task&, const query_task&) = default;
};
// Tell the agent to end a task; the agent still returns a result.
struct kill {
    attempt_key task;
    friend bool operator==(const kill&, const kill&) = default;
};
// Record how an attempt ended: completed, failed, or queued for the next attempt.
struct conclude {
    attempt_key task;
    task_state state = task_state::completed;
    std::string reason;
    friend bool operator==(const conclude&, const conclude&) = default;
};
// Record these tasks, which were never started, as failed.
struct fail_absent {
    job_id job;
    fleet::system_set systems;
    std::string reason;
    friend bool operator==(const fail_absent&, const fail_absent&) = default;
};
// Stop the job in the whole cluster. On this node it has stopped already.
struct halt {
    job_id job;
    std::string reason;
    friend bool operator==(const halt&, const halt&) = default;
};
// This node has no task of the job left to start or to wait for. Repeated after the node gains
// systems, and when the job has ended.
struct share_done {
    job_id job;
    friend bool operator==(const share_done&, const share_done&) = default;
};

using effect =
    std::variant<start, resend_task, query_task, kill, conclude, fail_absent, halt, share_done>;
using effects = std::vector<effect>;

}  // namespace muster::rollout
