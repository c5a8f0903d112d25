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

struct engine_options {
    node_id self;
    std::size_t jobs_max = 10'000;      // open at once
    std::uint64_t node_points = 2'000;  // tasks in flight on the node, of all jobs
    std::uint32_t system_points = 10;   // of them on one system
    // Of jobs that take no points, in flight beside those: for the sake of the node's memory.
    std::uint64_t unpaid_max = 20'000;
};

// One node's view of all open jobs: decides which task starts when.
//
// - A task starts only on a system that is attached, in its window, among the canaries while they
//   go first, and has points left; only while its job is open, within its time, its allowance of
//   places and starts, and while the node has points and the ledger keeps up.
// - A job that takes no points waits for none: neither for the node's nor for a system's.
// - Of jobs that could start, a higher priority goes first, equal ones share by weight.
// - No task is started twice in one attempt, and an overdue one is asked about, never guessed.
// - What an input costs grows with what it changes, not with the number of targets.
//
// Pure. The caller feeds every completion back, performs the effects in order, and calls expire()
// no later than next_deadline(). Inputs about jobs and tasks that are not here change nothing: they
// come late, and the record knows better.
class task_scheduler {
public:
    explicit task_scheduler(engine_options options);

    // errc::unavailable: too many are open; the job waits in the record. A job that is here already
    // gains the share.
    [[nodiscard]] result<effects> open(job_terms terms, share share, instant now);
    // Whether it is open here, or would not be one too many.
    bool takes(job_id job) const { return jobs_.contains(job) || jobs_.size() < options_.jobs_max; }
    // The record says so. An ended job stays until what is in flight came back.
    [[nodiscard]] effects change(job_id job, job_stage to, bool kill_running, instant now);
    // Its share is done and the cluster is through with it.
    [[nodiscard]] effects forget(job_id job, instant now);

    [[nodiscard]] effects permit(job_id job, permission permission, instant now);
    // This node's part of the job's limits (of those it has), and what of it is used elsewhere.
    [[nodiscard]] effects allow(job_id job, allowance part, settlement used, instant now);
    enum class gate { open, closed };
    [[nodiscard]] effects set_gate(
        job_id job, const fleet::system_set& systems, gate to, instant now);

    // Systems that came with a slot, or went with one. Their attachment comes as its own input.
    [[nodiscard]] effects gain(job_id job, share more, instant now);
    [[nodiscard]] effects lose(const fleet::system_set& systems, std::int64_t epoch, instant now);
    [[nodiscard]] effects attached(system_number system, instant now);
    // Its agent runs so many tasks at once (AGT-02): no more are started there, nor more than its
    // points. Zero: it did not say.
    [[nodiscard]] effects bounded(system_number system, std::uint32_t running_max, instant now);
    [[nodiscard]] effects went_away(system_number system, instant now);

    [[nodiscard]] effects accepted(const attempt_key& task, instant now);
    [[nodiscard]] effects returned(
        const attempt_key& task, outcome outcome, std::string reason, instant now);
    // Answers to `ask`.
    [[nodiscard]] effects still_running(const attempt_key& task, instant now);
    [[nodiscard]] effects not_known(const attempt_key& task, instant now);
    // A start that is certainly not on record was not sent either. One that may be on record is in
    // flight.
    [[nodiscard]] effects not_recorded(const start& start, instant now);

    enum class ledger { keeps_up, falls_behind };
    [[nodiscard]] effects pressure(ledger ledger, instant now);
    // From now on the node has so many points. What is in flight beyond them comes to its end.
    [[nodiscard]] effects set_points(std::uint64_t node_points, instant now);

    [[nodiscard]] effects expire(instant now);
    [[nodiscard]] std::optional<instant> next_deadline() const;

    std::optional<share_report> report(job_id job, instant now) const;
    std::vector<job_id> jobs() const;
    std::uint64_t points_used() const { return paid_.in_flight; }
    // Those that take no points too.
    std::uint64_t in_flight() const { return paid_.in_flight + unpaid_.in_flight; }

private:
    struct member {
        node_job_state share;
        std::optional<instant> wake;  // as it stands in wakes_
        bool told_done = false;
    };
    using member_map = std::map<job_id, member>;

    // Jobs that wait for each other. Those that take no points are apart from those that do.
    struct lane {
        fair_queue order;
        std::uint64_t in_flight = 0;
    };
    lane& lane_of(const member& member) {
        return member.share.terms().takes_points ? paid_ : unpaid_;
    }
    // Systems that another task of the job may be started on, as far as points go.
    const fleet::system_set& open_to(const member& member) const {
        return member.share.terms().takes_points ? free_ : attached_;
    }
    void take_points(const member& member, system_number system, instant now);
    void give_points(const member& member, system_number system, instant now);
    std::uint32_t points_of(system_number system) const;
    bool has_points(system_number system) const;
    void refresh_all(system_number system, instant now);
    void enter_turns(const member& of, instant now);
    // After a job was touched: whether it takes part in the turns, when it must be looked at, and
    // whether it is done.
    void review(member_map::iterator at, instant now, effects& out);
    void start_tasks(instant now, effects& out);
    void start_tasks(lane& among, std::uint64_t in_flight_max, instant now, effects& out);
    void arm(member_map::iterator at);
    template <class Change>
    effects touch(job_id job, instant now, Change change);
    template <class Answer>
    effects answer(const attempt_key& task, instant now, Answer take);

    engine_options options_;
    member_map jobs_;
    lane paid_;
    lane unpaid_;
    std::set<std::pair<instant, job_id>> wakes_;
    fleet::system_set attached_;
    fleet::system_set free_;                              // attached, with points left
    std::map<std::uint32_t, fleet::system_set> bounded_;  // who has fewer points than usual
    std::map<std::uint32_t, std::uint32_t> busy_;
    std::uint64_t tickets_ = 0;
    ledger ledger_ = ledger::keeps_up;
};

}  // namespace muster::rollout
