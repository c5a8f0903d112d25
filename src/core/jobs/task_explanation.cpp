#include "core/jobs/task_explanation.h"

#include "core/jobs/job_replacement.h"

#include <chrono>
#include <string_view>
#include <utility>

namespace muster::jobs {
namespace {

// "2026-11-16 22:00:00 UTC"
std::string to_text(wall_time time) {
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock_time(std::chrono::floor<std::chrono::seconds>(time - day));
    const auto two_digits = [](auto number) {
        const auto text = std::to_string(number);
        return text.size() < 2 ? "0" + text : text;
    };
    return std::to_string(static_cast<int>(date.year())) + "-"
           + two_digits(static_cast<unsigned>(date.month())) + "-"
           + two_digits(static_cast<unsigned>(date.day())) + " "
           + two_digits(clock_time.hours().count()) + ":" + two_digits(clock_time.minutes().count())
           + ":" + two_digits(clock_time.seconds().count()) + " UTC";
}

std::string suffix_of(std::string_view text) {
    return text.empty() ? std::string() : ": " + std::string(text);
}

explanation explain_queued(std::string cause, std::string reason) {
    return {
        .state = task_state::queued,
        .cause = std::move(cause),
        .sentence = "queued: " + std::move(reason)};
}

wall_time expires_at(const job_record& job) {
    const auto start = job.spec.not_before.value_or(created_at(job.job));
    return start + std::chrono::floor<std::chrono::microseconds>(job.spec.expires_after);
}

// Why the whole job waits, if it does.
std::optional<explanation> find_job_hold(const task_situation& situation) {
    const auto& job = situation.job;
    if (job.stage == job_stage::paused)
        return explain_queued("paused", "the job is paused" + suffix_of(job.reason));
    if (job.stage == job_stage::cancelling)
        return explain_queued("cancelling", "the job is being cancelled" + suffix_of(job.reason));
    if (job.stage == job_stage::done)
        return explain_queued(
            "done",
            "the job is done and has no record of this task; records are deleted after "
            "retention.jobs");
    if (waits_for_original(job.spec))
        return explain_queued(
            "succession",
            "the job replaces job " + to_string(*job.spec.replaces)
                + ", which has not ended on all systems yet");
    if (job.spec.not_before && *job.spec.not_before > situation.now)
        return explain_queued("not_before", "the job starts at " + to_text(*job.spec.not_before));
    if (job.phase == job_phase::none && !job.spec.parents.empty())
        return explain_queued(
            "parents",
            "the job waits for job " + to_string(job.spec.parents.front())
                + (job.spec.parents.size() > 1 ? " and others" : "")
                + " to complete on all systems");
    if (job.phase == job_phase::none)
        return explain_queued("phase", "the job has not been released yet" + suffix_of(job.reason));
    if (job.phase == job_phase::canaries && !situation.canary && situation.rest_start_time)
        return explain_queued(
            "canaries",
            "the canaries succeeded; the other systems start at "
                + to_text(*situation.rest_start_time) + " (canary_wait)");
    if (job.phase == job_phase::canaries && !situation.canary)
        return explain_queued("canaries", "the job waits for all canaries to succeed");
    return std::nullopt;
}

// Why this system waits, if it does.
std::optional<explanation> find_system_hold(const task_situation& situation) {
    if (!situation.in_fleet)
        return explain_queued("gone", "the system is no longer in the fleet; the task will expire");
    if (!situation.attached) {
        const auto absence = situation.last_seen
                                 ? "disconnected since " + to_text(*situation.last_seen)
                                 : "not connected yet";
        const auto consequence = situation.job.spec.rollout.on_return
                                     ? "; the task starts when the system reconnects, until "
                                           + to_text(expires_at(situation.job))
                                     : "; the task will fail because on_return is not set";
        return explain_queued("away", "the system is " + absence + consequence);
    }
    if (situation.window_rule) return explain_queued("window", *situation.window_rule);
    if (situation.window_opens && *situation.window_opens > situation.now)
        return explain_queued(
            "window", "the maintenance window is closed until " + to_text(*situation.window_opens));
    return std::nullopt;
}

explanation explain_waiting(const task_situation& situation) {
    if (situation.task && situation.task->attempt > 1)
        return explain_queued(
            "retry",
            "attempt " + std::to_string(situation.task->attempt - 1) + " failed"
                + suffix_of(situation.task->reason) + "; attempt "
                + std::to_string(situation.task->attempt) + " starts after retry_wait");
    if (situation.concurrency && situation.running >= *situation.concurrency)
        return explain_queued(
            "batch",
            "batch limit of " + std::to_string(*situation.concurrency)
                + " running tasks reached; the task starts when another task of the job ends");
    if (situation.job.spec.rollout.rate)
        return explain_queued("rate", "waiting for the rate limit of the job (starts per second)");
    return explain_queued("turn", "waiting for a free task slot on the node or the system");
}

explanation explain_ended(const task_situation& situation, const task_record& task) {
    const auto time_text = task.ended ? " at " + to_text(*task.ended) : std::string();
    const auto attempt_text =
        task.attempt > 1 ? ", attempt " + std::to_string(task.attempt) : std::string();
    explanation result{.state = task.state, .cause = "ended", .sentence = {}};
    if (task.state == task_state::completed) {
        result.sentence = "completed" + time_text + attempt_text;
        return result;
    }
    result.sentence = std::string(to_string(task.state)) + time_text + attempt_text;
    if (!task.reason.empty()) {
        result.sentence += suffix_of(task.reason);
    } else if (task.state == task_state::failed) {
        result.sentence += ": exit code " + std::to_string(task.exit_code);
    } else {
        result.sentence += suffix_of(situation.job.reason);
    }
    return result;
}

explanation explain_running(const task_situation& situation, const task_record& task) {
    auto sentence = std::string("picked up");
    if (task.picked_up) sentence += " at " + to_text(*task.picked_up);
    if (!task.node.empty()) sentence += " via node " + task.node;
    if (task.attempt > 1) sentence += ", attempt " + std::to_string(task.attempt);
    sentence += "; no result yet";
    if (!situation.activity.empty()) sentence += ": " + situation.activity;
    if (!situation.attached)
        sentence += "; the system is disconnected and reports the result when it reconnects";
    return {.state = task_state::picked_up, .cause = "running", .sentence = std::move(sentence)};
}

// The job ended before the task started.
explanation explain_never_started(const task_situation& situation, task_state state) {
    const auto& job = situation.job;
    auto sentence = std::string(to_string(state)) + ": ";
    if (state == task_state::expired) {
        sentence += "the job expired at " + to_text(expires_at(job));
        if (!situation.attached && situation.last_seen)
            sentence += "; the system was disconnected since " + to_text(*situation.last_seen);
        return {.state = state, .cause = "expired", .sentence = std::move(sentence)};
    }
    const bool halted = job.stage == job_stage::halted;
    sentence += halted ? "the job was halted before the task started" : "the job was cancelled";
    sentence += suffix_of(job.reason);
    return {
        .state = state, .cause = halted ? "halted" : "cancelled", .sentence = std::move(sentence)};
}

}  // namespace

explanation explain_task(const task_situation& situation) {
    if (!situation.target)
        return {
            .state = task_state::queued,
            .cause = "no_target",
            .sentence =
                "the system is not a target of this job; targets are fixed when a job is created"};
    const auto* const task = situation.task ? &*situation.task : nullptr;
    const auto state = state_of(task, situation.job.stage);
    if (task != nullptr && is_final(task->state)) return explain_ended(situation, *task);
    if (is_final(state)) return explain_never_started(situation, state);
    if (task != nullptr && state == task_state::picked_up) return explain_running(situation, *task);
    if (auto held = find_job_hold(situation)) return *std::move(held);
    if (auto held = find_system_hold(situation)) return *std::move(held);
    return explain_waiting(situation);
}

}  // namespace muster::jobs
