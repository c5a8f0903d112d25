#pragma once

#include "core/model/job.h"
#include "core/model/system.h"
#include "core/session/agent_task.h"
#include "services/jobs/job_row.h"
#include "sim/simulation.h"
#include "sim/workloads/jobs_kinds.h"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace muster::sim {

// One attempt of one job on one system.
struct run_key {
    job_id job;
    system_number system;
    std::uint32_t attempt = 1;

    friend bool operator==(const run_key&, const run_key&) = default;
    friend std::strong_ordering operator<=>(const run_key&, const run_key&) = default;
};

// How a program ended.
enum class run_end { well, badly, with_the_machine };

// What the ledger has of a job, read in plain pages.
struct recorded_job {
    job_record record;
    std::optional<jobs::task_counts> counts;
    jobs::job_targets targets;
    std::map<system_number, task_record> tasks;
};
std::string to_string(const run_key& task);
// A plain count, to be compared with what servers count by sets.
std::map<task_state, std::uint64_t> count_states(const recorded_job& job);

// Sees every agent, every node and the ledger at once, and tells the world what must never be:
//
// 1. a task's row for a system that was not asked, or an ended task that moves;
// 2. an acknowledged return that is not on record as its agent told it;
// 3. a program that runs twice in one attempt, or again after it succeeded, or a completed task
//    that never ran;
// 4. a task granted outside of its system's window, by the clock of the node that grants it, or
//    begun later after it came to its agent than what was left of the window then;
// 5. more systems that run one job at the same time than its batch allows, in truth;
// 6. somebody started while the canaries had not all succeeded.
class jobs_invariants {
public:
    explicit jobs_invariants(sim::simulation& simulation) : simulation_(simulation) {}

    // A node sends a task to an agent.
    void granted(const run_key& task, const job_kind& kind, wall_time node_time);
    // It came there.
    void arrived(const run_key& task);

    void began(const run_key& task, const job_kind& kind);
    void ended(const run_key& task, run_end end);
    void reported(const run_key& task, const session::task_result& task_ending);
    void acknowledged(const run_key& task);
    void payload_acknowledged(job_id job) { payloads_kept_.insert(job); }
    void released(job_id job) { released_.insert(job); }

    // The ledger's newest word on a task, in the ledger's order.
    void check_row(const task_record& row);

    // It is quiet, and this is all there is.
    void check_end(const std::map<job_id, recorded_job>& all);
    const std::set<job_id>& payloads_kept() const { return payloads_kept_; }

    std::uint64_t runs() const { return runs_; }
    std::uint64_t interrupted() const { return interrupted_; }
    std::uint64_t acknowledgements() const { return acknowledged_.size(); }
    std::uint64_t most_at_once() const { return most_at_once_; }
    std::uint64_t windows_kept() const { return windows_kept_; }
    std::uint64_t unstarted() const { return unstarted_.size(); }

private:
    struct account {
        std::uint32_t starts = 0;
        std::uint32_t successes = 0;
        instant began{};  // first
        instant ended{};  // last
    };

    void check_acknowledged(const run_key& task, const std::map<job_id, recorded_job>& all);
    void check_tasks(const recorded_job& job);
    void check_completed(const run_key& task);
    void check_counts(const recorded_job& job);
    void check_canaries(const recorded_job& job);
    bool was_told(const run_key& task, const task_record& row) const;
    void check_window(const run_key& task);
    std::uint32_t unstarted_before(const run_key& task) const;

    sim::simulation& simulation_;
    std::map<run_key, account> accounts_;
    std::map<job_id, std::set<system_number>> running_;
    std::map<run_key, std::vector<session::task_result>> reported_;
    std::set<run_key> acknowledged_;
    std::set<run_key> granted_;
    std::map<run_key, monotonic::duration> window_left_;  // when it was granted last
    std::map<run_key, instant> begin_by_;                 // in truth
    std::set<run_key> unstarted_;                         // that agents reported as such
    std::set<job_id> payloads_kept_;
    std::set<job_id> released_;
    std::map<std::pair<job_id, std::int64_t>, task_record> rows_;
    std::uint64_t runs_ = 0;
    std::uint64_t interrupted_ = 0;
    std::uint64_t most_at_once_ = 0;
    std::uint64_t windows_kept_ = 0;
};

}  // namespace muster::sim
