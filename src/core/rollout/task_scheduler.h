#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/fleet/system_set.h"
#include "core/model/job.h"
#include "core/model/node.h"
#include "core/model/system.h"
#include "core/rollout/effect.h"
#include "core/rollout/fair_queue.h"
#include "core/rollout/node_job_state.h"
#include "core/rollout/share.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace muster::rollout {

struct scheduler_options {
    node_id self;
    std::size_t jobs_max = 10'000;         // open jobs
    std::uint64_t node_tasks_max = 2'000;  // tasks in flight on the node
    std::uint32_t system_tasks_max = 10;   // tasks in flight on one system
    // Tasks in flight of jobs that are not limited. Bounds the node's memory.
    std::uint64_t unlimited_max = 20'000;
};

// Decides which task of which open job starts when, on one node.
//
// - A task starts only on a system that is attached, in its window, permitted (canaries first) and
//   below its task limit. Its job must be open, in its period and within its allowance. The node
//   must be below its task limit, and the ledger must not be overloaded.
// - Jobs that are not limited ignore the task limits of node and system.
// - A job of higher priority starts first; jobs of equal priority share by weight.
// - No attempt is started twice. An overdue task is queried; its outcome is never guessed.
// - The cost of an input grows with what it changes, not with the number of targets.
//
// Pure; not thread-safe. The caller reports every event, executes the effects in order, and calls
// expire() no later than next_deadline(). Inputs about unknown jobs and tasks change nothing:
// they are late, and the ledger is authoritative.
class task_scheduler {
public:
    explicit task_scheduler(scheduler_options options);

    // errc::unavailable if too many jobs are open; the job then waits in the ledger. Adds the share
    // if the job is open already.
    [[nodiscard]] result<effects> open(job_terms terms, share share, instant now);
    // Whether the job is open here, or can be opened.
    bool has_room_for(job_id job) const {
        return jobs_.contains(job) || jobs_.size() < options_.jobs_max;
    }
    // Applies the recorded stage. An ended job stays until its tasks in flight have returned.
    [[nodiscard]] effects set_stage(job_id job, job_stage stage, bool kill_running, instant now);
    // Call when the share is done and the job has ended in the cluster.
    [[nodiscard]] effects remove(job_id job, instant now);

    [[nodiscard]] effects set_permission(job_id job, permission permission, instant now);
    // This node's part of the job's limits, and its own tasks in flight on other nodes.
    [[nodiscard]] effects set_allowance(
        job_id job, allowance allowance, tasks_elsewhere elsewhere, instant now);
    enum class window_state { open, closed };
    [[nodiscard]] effects set_window(
        job_id job, const fleet::system_set& systems, window_state state, instant now);

    // Systems that came or went with a slot. Their attachment is a separate input.
    [[nodiscard]] effects add_share(job_id job, share share, instant now);
    [[nodiscard]] effects remove_systems(
        const fleet::system_set& systems, std::int64_t epoch, instant now);
    [[nodiscard]] effects on_attached(system_number system, instant now);
    // The number of tasks that the agent runs at once; it lowers the limit of the system. Zero: the
    // agent named none.
    [[nodiscard]] effects set_running_max(
        system_number system, std::uint32_t running_max, instant now);
    [[nodiscard]] effects on_detached(system_number system, instant now);

    [[nodiscard]] effects on_accepted(const attempt_key& task, instant now);
    [[nodiscard]] effects on_returned(
        const attempt_key& task, outcome outcome, std::string reason, instant now);
    // Responses to query_task.
    [[nodiscard]] effects on_still_running(const attempt_key& task, instant now);
    [[nodiscard]] effects on_unknown(const attempt_key& task, instant now);
    // The start is certainly not recorded and was not sent. Do not call this if it may be recorded:
    // such a task stays in flight.
    [[nodiscard]] effects on_not_recorded(const start& start, instant now);

    enum class ledger_state { ok, overloaded };
    [[nodiscard]] effects set_ledger_state(ledger_state state, instant now);
    // Changes the task limit of the node. Tasks in flight beyond the limit continue.
    [[nodiscard]] effects set_node_tasks_max(std::uint64_t node_tasks_max, instant now);

    [[nodiscard]] effects expire(instant now);
    [[nodiscard]] std::optional<instant> next_deadline() const;

    std::optional<share_report> report(job_id job, instant now) const;
    std::vector<job_id> jobs() const;
    std::uint64_t limited_in_flight() const { return limited_.in_flight; }
    // Including jobs that are not limited.
    std::uint64_t in_flight() const { return limited_.in_flight + unlimited_.in_flight; }

private:
    struct open_job {
        node_job_state state;
        std::optional<instant> timer;  // its entry in timers_
        bool done_reported = false;
    };
    using job_map = std::map<job_id, open_job>;

    // Jobs that compete for starts. Limited jobs and the others have separate lanes.
    struct lane {
        fair_queue queue;
        std::uint64_t in_flight = 0;
    };
    lane& lane_of(const open_job& job) { return job.state.terms().limited ? limited_ : unlimited_; }
    // Systems with capacity for another task of the job.
    const fleet::system_set& available_systems(const open_job& job) const {
        return job.state.terms().limited ? free_ : attached_;
    }
    void occupy(const open_job& job, system_number system, instant now);
    void vacate(const open_job& job, system_number system, instant now);
    std::uint32_t tasks_max_of(system_number system) const;
    bool has_capacity(system_number system) const;
    void refresh_all(system_number system, instant now);
    void enqueue(const open_job& job, instant now);
    // After a change of the job: updates its queue and its timer, and reports when its share is
    // done.
    void update_job(job_map::iterator it, instant now, effects& out);
    void start_tasks(instant now, effects& out);
    void start_tasks(lane& lane, std::uint64_t in_flight_max, instant now, effects& out);
    void set_timer(job_map::iterator it);
    template <class Change>
    effects change_job(job_id job, instant now, Change change);
    template <class Report>
    effects apply_report(const attempt_key& task, instant now, Report report);

    scheduler_options options_;
    job_map jobs_;
    lane limited_;
    lane unlimited_;
    std::set<std::pair<instant, job_id>> timers_;
    fleet::system_set attached_;
    fleet::system_set free_;                                  // attached, with capacity
    std::map<std::uint32_t, fleet::system_set> running_max_;  // lower limits of agents
    std::map<std::uint32_t, std::uint32_t> running_counts_;
    std::uint64_t last_ticket_ = 0;
    ledger_state ledger_state_ = ledger_state::ok;
};

}  // namespace muster::rollout
