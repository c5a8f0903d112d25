#pragma once

#include "base/time.h"
#include "core/access/rate_limiter.h"
#include "core/fleet/system_set.h"
#include "core/model/job.h"
#include "core/model/node.h"
#include "core/rollout/effect.h"
#include "core/rollout/plan.h"
#include "core/rollout/share.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

namespace muster::rollout {

// Which systems a job may start on, on every node.
struct start_none {  // the parent jobs have not completed
    friend bool operator==(const start_none&, const start_none&) = default;
};
struct canaries_only {
    fleet::system_set systems;
    friend bool operator==(const canaries_only&, const canaries_only&) = default;
};
struct start_all {
    friend bool operator==(const start_all&, const start_all&) = default;
};
using permission = std::variant<start_none, canaries_only, start_all>;

// How an attempt ended.
enum class outcome {
    completed,
    failed,
    interrupted,  // its agent stopped while the task ran; it may have done a part
    not_started,  // its window closed before the agent started it
};

// What the scheduler needs to know about a job.
struct job_terms {
    job_id job;
    rollout_options rollout;
    job_period period;
    monotonic::duration timeout = std::chrono::hours(1);
    bool may_run_again = false;
    std::uint64_t targets = 0;  // in the whole cluster
    bool limited = true;        // counts against node and system limits; test.ping does not
};
job_terms terms_of(const job_record& record, wall_time wall_now, instant now);

// One node's state of one job: the systems that are queued or can start, the tasks that are in
// flight or wait for another attempt, and how much of the job's allowance is in use. Memory: sets
// for all targets, and one entry for each task that is in flight or waits.
//
// Decides what this job allows; the task scheduler chooses among jobs. The scheduler passes in
// `free`: the systems that are attached and have capacity for another task.
//
// Pure. Not thread-safe.
class node_job_state {
public:
    // The wait after a failed attempt doubles up to this.
    static constexpr monotonic::duration retry_wait_max = std::chrono::hours(1);
    // Reruns of an interrupted task, if the job allows reruns and names no retries.
    static constexpr std::uint32_t reruns_max = 3;
    // Time until the task of an absent system fails, if the job does not wait for absent systems.
    static constexpr monotonic::duration away_timeout = std::chrono::seconds(325);
    // Wait before the next attempt of a task that its agent did not start in its window.
    static constexpr monotonic::duration unstarted_wait = std::chrono::seconds(5);
    // Interval between queries about an overdue task.
    static constexpr monotonic::duration query_interval = std::chrono::minutes(5);
    // Wait after the ledger refused a start: another node probably owns the slot now.
    static constexpr monotonic::duration refused_wait = std::chrono::seconds(1);
    // The burst is the starts of one second divided by this.
    static constexpr std::uint64_t burst_divisor = 10;

    // Whether the terms of the job allow another attempt after this one. An attempt that was not
    // started never counts.
    static bool has_attempts_left(const job_terms& terms, std::uint32_t attempt, outcome outcome);

    node_job_state(job_terms terms, node_id self);

    const job_terms& terms() const { return terms_; }

    void add_share(share share, const fleet::system_set& free, instant now);
    // Returns the removed systems that had a task in flight. The tasks that this node started stay
    // charged to it until set_allowance() counts them.
    std::vector<system_number> remove_systems(const fleet::system_set& systems, std::int64_t epoch);

    void set_stage(job_stage stage, bool kill_running, effects& out);
    void set_permission(permission permission, const fleet::system_set& free);
    void close_window(const fleet::system_set& systems);
    void open_window(const fleet::system_set& systems, const fleet::system_set& free);
    void set_allowance(allowance allowance, tasks_elsewhere elsewhere);

    // Updates whether the system is free.
    void refresh(system_number system, bool free);
    // The system attached again: sends an unconfirmed task once more, or ends it if the job kills
    // its tasks.
    void on_attached(system_number system, instant now, effects& out);

    // Whether the job itself allows a start now.
    bool can_start(instant now) const;
    // Puts the next task in flight. Nothing if the rate delays it; then can_start() is false too.
    std::optional<attempt_key> start_next(std::uint64_t ticket, instant now);

    // Reports about tasks. A report about an attempt that is not in flight changes nothing. The
    // exception is a return of the last attempt while the next one waits: a success counts, and any
    // other outcome is recorded again.
    enum class change { nothing, noted, left_flight };
    change on_accepted(const attempt_key& task);
    change on_still_running(const attempt_key& task, instant now);
    change on_returned(
        const attempt_key& task, outcome outcome, std::string reason, instant now, effects& out);
    change on_unknown(const attempt_key& task, instant now, effects& out);
    change on_not_recorded(const start& start, bool free, instant now);

    // Applies timers. Adds the systems whose tasks are no longer in flight to `ended`.
    struct node_systems {
        const fleet::system_set& attached;
        const fleet::system_set& free;
    };
    void expire(instant now, node_systems systems, std::vector<system_number>& ended, effects& out);
    std::optional<instant> next_deadline() const;

    // No task is left to start or to wait for.
    bool is_idle() const;
    std::vector<system_number> systems_in_flight() const;
    share_report report(instant now) const;

private:
    struct task {
        std::uint32_t attempt = 1;
        std::size_t starter = 0;  // index into starters_
        bool accepted = false;
        std::uint64_t ticket = 0;  // of the start on this node; zero: started by another node
        instant query_at;
        instant started;
    };
    using task_map = std::map<std::uint32_t, task>;

    std::size_t index_of(const node_id& starter);
    bool is_permitted(system_number system) const;  // by permission and window; ignores capacity
    fleet::system_set filter_permitted(const fleet::system_set& free) const;
    task_map::iterator find(const attempt_key& task);
    std::optional<system_number> next_candidate();
    std::uint64_t used_concurrency() const;
    void add_in_flight(system_number system, task entry);
    void remove_in_flight(task_map::iterator it, instant now);
    // The job starts tasks, now or when it is resumed.
    bool is_active() const { return stage_ == job_stage::open || stage_ == job_stage::paused; }
    // A recorded task that never reached its agent may still be started.
    bool may_begin(instant now) const { return is_active() && now < terms_.period.expires; }
    // Attempts without those that this node knows were not started; these use up no retry.
    std::uint32_t begun_attempts(std::uint32_t system, std::uint32_t attempt) const;
    // The wait after the given number of begun attempts.
    monotonic::duration retry_wait(std::uint32_t begun) const;
    // Continues the wait of a task that another node queued for a retry.
    void restore_waiting(const waiting_task& waiting, fleet::system_set& queued, instant now);
    void queue_retry(const attempt_key& task, outcome outcome, instant now);
    change on_late_return(
        const attempt_key& task, outcome outcome, std::string reason, effects& out);
    void end_attempt(
        task_map::iterator it, outcome outcome, std::string reason, instant now, effects& out);
    // `system` has just failed.
    void halt_if_too_many(system_number system, const std::string& reason, effects& out);
    void stop_starting(job_stage stage);
    void release_blocked(instant now);
    void release_retries(instant now, const fleet::system_set& free);
    void query_overdue(
        instant now,
        const fleet::system_set& attached,
        std::vector<system_number>& ended,
        effects& out);
    void fail_absent_systems(instant now, const fleet::system_set& attached, effects& out);

    job_terms terms_;
    job_stage stage_ = job_stage::open;
    bool kill_running_ = false;
    permission permission_ = start_none{};
    std::optional<std::uint64_t> concurrency_max_;
    std::optional<std::uint64_t> starts_milli_;

    fleet::system_set pending_;         // queued, without those in retries_
    fleet::system_set outside_window_;  // outside their window
    fleet::system_set ready_;           // pending, permitted and free
    fleet::system_set completed_;
    fleet::system_set failed_;
    std::uint64_t failed_count_ = 0;

    // A part of ready_, read ahead. Each is checked again before it is used.
    std::vector<std::uint32_t> candidates_;
    std::int64_t cursor_ = 0;

    task_map tasks_;
    std::map<std::uint32_t, std::uint32_t> attempts_;   // next attempt of tasks that ran before
    std::map<std::uint32_t, std::uint32_t> unstarted_;  // attempts that were not started
    std::set<std::pair<instant, std::uint32_t>> retries_;
    std::set<std::pair<instant, std::uint32_t>> queries_;
    std::deque<instant> blocked_until_;  // concurrency blocked after returns (batch_wait)

    std::vector<node_id> starters_;                     // the first is this node
    std::vector<std::uint64_t> charged_;                // tasks in flight here, by starter
    std::map<std::int64_t, std::uint64_t> moved_away_;  // own tasks lost with slots, by epoch
    std::uint64_t elsewhere_ = 0;

    access::rate_meter meter_;
    std::optional<instant> rate_retry_at_;  // the rate allows no start before
    std::optional<instant> refused_until_;
    std::optional<instant> opens_at_;  // if in the future
    fleet::system_set away_;           // absent at the last check
    std::optional<instant> away_check_;
};

}  // namespace muster::rollout
