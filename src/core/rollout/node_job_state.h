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

// What a job's progress in the cluster allows on every node.
struct nobody {  // its parents have not completed
    friend bool operator==(const nobody&, const nobody&) = default;
};
struct canaries_only {
    fleet::system_set systems;
    friend bool operator==(const canaries_only&, const canaries_only&) = default;
};
struct everybody {
    friend bool operator==(const everybody&, const everybody&) = default;
};
using permission = std::variant<nobody, canaries_only, everybody>;

// How a task came back.
enum class outcome {
    completed,
    failed,
    interrupted,  // its agent ended while it ran; it may have done a part
    not_started,  // its window closed before its agent could begin it
};

// What the engine has to know of a job beyond its record.
struct job_terms {
    job_id job;
    rollout_options rollout;
    span when;
    monotonic::duration timeout = std::chrono::hours(1);
    bool may_run_again = false;
    std::uint64_t targets = 0;  // in the whole cluster
    bool takes_points = true;   // test.ping does not: it goes past the queue
};
job_terms terms_of(const job_record& record, wall_time wall_now, instant now);

// One node's share of one job: which systems are queued, which of them could start, what is in
// flight, what waits for another attempt, and how much of the job's allowance is in use. Sets for
// what grows with the targets; an entry a task only while it is in flight or waits.
//
// It decides what is allowed for this job alone; the engine chooses among jobs. Node-wide facts
// come in as `free`: the systems that are attached and have room for another task.
class node_job_state {
public:
    // A failed attempt's wait doubles up to this.
    static constexpr monotonic::duration retry_wait_max = std::chrono::hours(1);
    // How often an interrupted task is run again where the job allows it and asks for no retries.
    static constexpr std::uint32_t reruns_max = 3;
    // How long a system may be away before its task fails, where the job does not wait for it.
    static constexpr monotonic::duration away_timeout = std::chrono::seconds(325);
    // One that its agent could not begin in its window is not sent again before this.
    static constexpr monotonic::duration unstarted_wait = std::chrono::seconds(5);
    // How often an overdue task is asked about.
    static constexpr monotonic::duration ask_interval = std::chrono::minutes(5);
    // The ledger refused a start: the slot is probably another's by now. No next one before this.
    static constexpr monotonic::duration refused_wait = std::chrono::seconds(1);
    // Of a second's starts, how much may come at once.
    static constexpr std::uint64_t burst_divisor = 10;

    // Whether a job goes on to another attempt after this one, as far as its terms go. One that
    // could not start is always followed by another.
    static bool attempts_left(const job_terms& terms, std::uint32_t attempt, outcome how);

    node_job_state(job_terms terms, node_id self);

    const job_terms& terms() const { return terms_; }

    void gain(share more, const fleet::system_set& free, instant now);
    // The systems of what was in flight among them; what this node started there is charged to it
    // until a settlement tells of it.
    std::vector<system_number> lose(const fleet::system_set& systems, std::int64_t epoch);

    void set_stage(job_stage to, bool kill_running, effects& out);
    void permit(permission permission, const fleet::system_set& free);
    void close_gate(const fleet::system_set& systems);
    void open_gate(const fleet::system_set& systems, const fleet::system_set& free);
    void allow(allowance part, settlement settlement);

    // The system became free, or ceased to be.
    void refresh(system_number system, bool free);
    // Away: what it was sent and never confirmed is sent again when it is back, and what is to be
    // ended is ended then.
    void attached(system_number system, instant now, effects& out);

    // Whether nothing of this job's own keeps it from starting a task now.
    bool startable(instant now) const;
    // The next system, in flight from now on. Nothing: the rate says later, and startable() too.
    std::optional<attempt_key> start_next(std::uint64_t ticket, instant now);

    // Answers. Those about tasks that are not in flight in that attempt change nothing, but for a
    // return of the attempt before one that still waits: what it achieved counts, and otherwise it
    // is concluded once more as it was.
    enum class change { nothing, noted, left_flight };
    change accepted(const attempt_key& task);
    change still_running(const attempt_key& task, instant now);
    change returned(
        const attempt_key& task, outcome outcome, std::string reason, instant now, effects& out);
    change not_known(const attempt_key& task, instant now, effects& out);
    change not_recorded(const start& start, bool free, instant now);

    // What time brings. Systems whose tasks left flight are added to `ended`.
    struct dependencies {
        const fleet::system_set& attached;
        const fleet::system_set& free;
    };
    void expire(instant now, dependencies here, std::vector<system_number>& ended, effects& out);
    std::optional<instant> next_deadline() const;

    // Nothing is left to start or to wait for.
    bool idle() const;
    std::vector<system_number> systems_in_flight() const;
    share_report report(instant now) const;

private:
    struct task {
        std::uint32_t attempt = 1;
        std::size_t starter = 0;  // index into starters_
        bool accepted = false;
        std::uint64_t ticket = 0;  // of our start; zero: taken over
        instant ask_at;
        instant started;
    };
    using task_map = std::map<std::uint32_t, task>;

    std::size_t index_of(const node_id& starter);
    bool admits(system_number system) const;  // apart from being free
    fleet::system_set admitted(const fleet::system_set& free) const;
    task_map::iterator find(const attempt_key& task);
    std::optional<system_number> next_candidate();
    std::uint64_t used() const;
    void put_in_flight(system_number system, task entry);
    void take_out(task_map::iterator at, instant now);
    // The job goes on, now or when it is resumed.
    bool starting() const { return stage_ == job_stage::open || stage_ == job_stage::paused; }
    // What is on record and never got to its agent may still be begun.
    bool may_begin(instant now) const { return starting() && now < terms_.when.expires; }
    // Those that could not start use up no retry, as far as this node knows of them.
    std::uint32_t begun_attempts(std::uint32_t system, std::uint32_t attempt) const;
    // After so many attempts that were begun.
    monotonic::duration retry_wait(std::uint32_t begun) const;
    // One that another node queued again goes on waiting.
    void take_over(const waiting_task& waiting_task, fleet::system_set& queued, instant now);
    void queue_again(const attempt_key& task, outcome how, instant now);
    change returned_again(const attempt_key& task, outcome how, std::string reason, effects& out);
    void end_attempt(
        task_map::iterator at, outcome how, std::string reason, instant now, effects& out);
    // `system` is the one, or one of those, that failed just now.
    void halt_if_too_many(system_number system, const std::string& reason, effects& out);
    void stop_starting(job_stage to);
    void release_places(instant now);
    void release_retries(instant now, const fleet::system_set& free);
    void ask_overdue(
        instant now,
        const fleet::system_set& attached,
        std::vector<system_number>& ended,
        effects& out);
    void fail_those_away(instant now, const fleet::system_set& attached, effects& out);

    job_terms terms_;
    job_stage stage_ = job_stage::open;
    bool kill_running_ = false;
    permission permission_ = nobody{};
    std::optional<std::uint64_t> places_max_;
    std::optional<std::uint64_t> starts_milli_;

    fleet::system_set pending_;  // queued, and not waiting for a time
    fleet::system_set closed_;   // outside their window
    fleet::system_set ready_;    // pending, admitted and free
    fleet::system_set completed_;
    fleet::system_set failed_;
    std::uint64_t failed_count_ = 0;

    // A stretch of ready_, read ahead: each is looked up again before it is used.
    std::vector<std::uint32_t> candidates_;
    std::int64_t cursor_ = 0;

    task_map tasks_;
    std::map<std::uint32_t, std::uint32_t> attempts_;   // of queued ones that ran before
    std::map<std::uint32_t, std::uint32_t> unstarted_;  // how many attempts were not begun
    std::set<std::pair<instant, std::uint32_t>> retries_;
    std::set<std::pair<instant, std::uint32_t>> asks_;
    std::deque<instant> blocked_places_;  // until when, after a return

    std::vector<node_id> starters_;                // the first is this node
    std::vector<std::uint64_t> charged_;           // in flight here, by starter
    std::map<std::int64_t, std::uint64_t> given_;  // in flight, lost with slots, by epoch
    std::uint64_t elsewhere_ = 0;

    access::rate_meter meter_;
    std::optional<instant> token_at_;  // the rate says no until then
    std::optional<instant> refused_until_;
    std::optional<instant> opens_at_;  // while it lies ahead
    fleet::system_set away_;           // when it was last looked
    std::optional<instant> away_check_;
};

}  // namespace muster::rollout
