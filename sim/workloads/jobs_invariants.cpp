#include "sim/workloads/jobs_invariants.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string_view>
#include <utility>

namespace muster::sim {

namespace {

// Clocks that run at different speeds.
constexpr std::chrono::milliseconds window_grace{100};

}  // namespace

std::string to_string(const run_key& task) {
    return fmt::format(
        "job {} on system {} in attempt {}",
        to_string(task.job),
        task.system.value(),
        task.attempt);
}

std::map<task_state, std::uint64_t> count_states(const recorded_job& job) {
    std::map<task_state, std::uint64_t> counts;
    job.targets.systems.for_each([&](system_number system_number) {
        const auto row = job.tasks.find(system_number);
        ++counts[state_of(row == job.tasks.end() ? nullptr : &row->second, job.record.stage)];
    });
    return counts;
}

void jobs_invariants::granted(const run_key& task, const job_kind& kind, wall_time node_time) {
    const bool bound =
        kind.spec.windows == job_spec::window_rule::respect && has_windows(task.system);
    if (!bound) return;
    window_left_[task] = window_left(node_time);
    if (granted_.insert(task).second) ++windows_kept_;
    if (!window_open(node_time))
        simulation_.violated(to_string(task) + " was granted outside of its maintenance window");
}

void jobs_invariants::arrived(const run_key& task) {
    const auto left = window_left_.find(task);
    if (left == window_left_.end()) return;
    const auto latest = simulation_.now() + left->second;
    const auto [known, fresh] = begin_by_.emplace(task, latest);
    if (!fresh) known->second = std::max(known->second, latest);
}

void jobs_invariants::check_window(const run_key& task) {
    const auto latest = begin_by_.find(task);
    if (latest != begin_by_.end() && simulation_.now() > latest->second + window_grace)
        simulation_.violated(to_string(task) + " was started after its maintenance window");
}

// Attempts that could not start are followed by others.
std::uint32_t jobs_invariants::unstarted_before(const run_key& task) const {
    const auto first = unstarted_.lower_bound({task.job, task.system, 0});
    return static_cast<std::uint32_t>(std::distance(first, unstarted_.lower_bound(task)));
}

void jobs_invariants::began(const run_key& task, const job_kind& kind) {
    ++runs_;
    simulation_.note("program", to_string(task));
    check_window(task);
    account& account = accounts_[task];
    if (++account.starts == 1) account.began = simulation_.now();
    if (account.starts > kind.starts_of_attempt_max())
        simulation_.violated(
            fmt::format("{} ({}) ran {} times", to_string(task), kind.name, account.starts));
    if (task.attempt > kind.attempts_max() + unstarted_before(task))
        simulation_.violated(to_string(task) + " exceeds the number of attempts");
    for (std::uint32_t before = 1; before < task.attempt && !kind.spec.may_run_again; ++before) {
        const auto it = accounts_.find({task.job, task.system, before});
        if (it != accounts_.end() && it->second.successes > 0)
            simulation_.violated(to_string(task) + " ran again after it had succeeded");
    }
    auto& running = running_[task.job];
    if (!running.insert(task.system).second)
        simulation_.violated(to_string(task) + " runs in parallel with an earlier attempt");
    most_at_once_ = std::max<std::uint64_t>(most_at_once_, running.size());
    if (kind.places && running.size() > *kind.places)
        simulation_.violated(fmt::format(
            "{} ({}) runs on {} systems in parallel, limit {}",
            to_string(task),
            kind.name,
            running.size(),
            *kind.places));
}

void jobs_invariants::ended(const run_key& task, run_end end) {
    account& account = accounts_[task];
    account.ended = simulation_.now();
    if (end == run_end::well) ++account.successes;
    if (end == run_end::with_the_machine) ++interrupted_;
    running_[task.job].erase(task.system);
}

void jobs_invariants::reported(const run_key& task, const session::task_result& task_ending) {
    if (task_ending.outcome == session::task_outcome::not_started) {
        unstarted_.insert(task);
        if (accounts_.contains(task))
            simulation_.violated(to_string(task) + " ran but was reported as not started");
    }
    // What is kept of an acknowledged return is only the mark that it was one.
    if (acknowledged_.contains(task)) return;
    auto& results = reported_[task];
    if (std::ranges::find(results, task_ending) == results.end()) results.push_back(task_ending);
}

void jobs_invariants::acknowledged(const run_key& task) {
    acknowledged_.insert(task);
}

void jobs_invariants::check_row(const task_record& row) {
    const std::pair key(row.job, row.system);
    const auto before = rows_.find(key);
    if (before != rows_.end()) {
        const auto& old = before->second;
        // What was presumed of a system that was away gives way to what its agent tells.
        const bool final = is_final(old.state) && old.picked_up.has_value();
        if (final && row.state != old.state)
            simulation_.violated(fmt::format(
                "job {} on system {} was {} and became {}",
                to_string(row.job),
                row.system,
                muster::to_string(old.state),
                muster::to_string(row.state)));
    }
    rows_.insert_or_assign(key, row);
}

bool jobs_invariants::was_told(const run_key& task, const task_record& row) const {
    const auto message = reported_.find(task);
    if (message == reported_.end()) return false;
    return std::ranges::any_of(message->second, [&row](const session::task_result& task_ending) {
        const bool well = task_ending.outcome == session::task_outcome::succeeded;
        return well == (row.state == task_state::completed)
               && task_ending.exit_code == row.exit_code && task_ending.digest == row.digest
               && task_ending.inline_payload == row.inline_payload;
    });
}

void jobs_invariants::check_acknowledged(
    const run_key& task, const std::map<job_id, recorded_job>& all) {
    const auto job = all.find(task.job);
    if (job == all.end()) return simulation_.violated("no record of " + to_string(task));
    const auto row = job->second.tasks.find(task.system);
    if (row == job->second.tasks.end() || row->second.attempt < task.attempt)
        return simulation_.violated("acknowledged result is lost: " + to_string(task));
    if (row->second.attempt > task.attempt) return;  // a later attempt stands in its place
    if (!was_told(task, row->second))
        simulation_.violated(fmt::format(
            "stored result differs from the acknowledged one: {} is {}: {}",
            to_string(task),
            muster::to_string(row->second.state),
            row->second.reason));
}

void jobs_invariants::check_completed(const run_key& task) {
    const auto it = accounts_.find(task);
    if (it == accounts_.end() || it->second.successes == 0)
        simulation_.violated(to_string(task) + " is completed but never succeeded");
}

void jobs_invariants::check_tasks(const recorded_job& job) {
    for (const auto& [system, row] : job.tasks) {
        if (!job.targets.systems.contains(system))
            simulation_.violated(fmt::format(
                "job {} has a task on system {}, which is not a target",
                to_string(job.record.job),
                system.value()));
        if (row.state == task_state::completed)
            check_completed({job.record.job, system, row.attempt});
    }
}

void jobs_invariants::check_counts(const recorded_job& job) {
    std::uint64_t sum = 0;
    for (const auto& [state, count] : count_states(job)) sum += count;
    if (sum != job.record.targets || job.targets.systems.size() != job.record.targets)
        simulation_.violated(
            fmt::format("task counts of job {} are inconsistent", to_string(job.record.job)));
    if (job.counts && job.counts->sum() != job.record.targets)
        simulation_.violated(fmt::format(
            "stored task counts of job {} are inconsistent: {}",
            to_string(job.record.job),
            fmt::join(job.counts->by_state, ", ")));
}

void jobs_invariants::check_canaries(const recorded_job& job) {
    if (job.targets.canaries.empty() || released_.contains(job.record.job)) return;
    instant all_succeeded = instant::min();
    job.targets.canaries.for_each([&](system_number system_number) {
        const auto it = accounts_.find({job.record.job, system_number, 1});
        const bool well = it != accounts_.end() && it->second.successes > 0;
        all_succeeded = std::max(all_succeeded, well ? it->second.ended : instant::max());
    });
    for (auto at = accounts_.lower_bound({job.record.job, system_number(), 0});
         at != accounts_.end() && at->first.job == job.record.job;
         ++at) {
        if (!job.targets.canaries.contains(at->first.system) && at->second.began < all_succeeded)
            simulation_.violated(to_string(at->first) + " did not wait for the canaries");
    }
}

void jobs_invariants::check_end(const std::map<job_id, recorded_job>& jobs) {
    for (const auto& task : acknowledged_) check_acknowledged(task, jobs);
    for (const auto& [id, job] : jobs) {
        check_tasks(job);
        check_counts(job);
        check_canaries(job);
    }
}

}  // namespace muster::sim
