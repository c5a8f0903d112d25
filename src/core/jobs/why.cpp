#include "core/jobs/why.h"

#include "core/jobs/job_replacement.h"

#include <chrono>
#include <string_view>
#include <utility>

namespace muster::jobs {
namespace {

// "2026-11-16 22:00:00 UTC"
std::string spoken(wall_time when) {
    const auto day = std::chrono::floor<std::chrono::days>(when);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::seconds>(when - day));
    const auto two = [](auto number) {
        const auto text = std::to_string(number);
        return text.size() < 2 ? "0" + text : text;
    };
    return std::to_string(static_cast<int>(date.year())) + "-"
           + two(static_cast<unsigned>(date.month())) + "-" + two(static_cast<unsigned>(date.day()))
           + " " + two(time.hours().count()) + ":" + two(time.minutes().count()) + ":"
           + two(time.seconds().count()) + " UTC";
}

std::string because(std::string_view text) {
    return text.empty() ? std::string() : ": " + std::string(text);
}

explanation queued(std::string cause, std::string because_of) {
    return {
        .state = task_state::queued,
        .cause = std::move(cause),
        .sentence = "queued: " + std::move(because_of)};
}

wall_time expires_at(const job_record& job) {
    const auto from = job.spec.not_before.value_or(made_at(job.job));
    return from + std::chrono::floor<std::chrono::microseconds>(job.spec.expires_after);
}

// What holds the job as a whole.
std::optional<explanation> held_job(const task_situation& about) {
    const auto& job = about.job;
    if (job.stage == job_stage::paused)
        return queued("paused", "the job is paused" + because(job.reason));
    if (job.stage == job_stage::cancelling)
        return queued("cancelling", "the job is being cancelled" + because(job.reason));
    if (job.stage == job_stage::done)
        return queued(
            "done",
            "the job ended without it; it has no record, which the retention may have removed");
    if (waits_to_succeed(job.spec))
        return queued(
            "succession",
            "the job takes the place of job " + to_string(*job.spec.replaces)
                + ", which has not ended everywhere yet");
    if (job.spec.not_before && *job.spec.not_before > about.now)
        return queued("not_before", "the job starts at " + spoken(*job.spec.not_before));
    if (job.phase == job_phase::nobody && !job.spec.parents.empty())
        return queued(
            "parents",
            "the job waits for job " + to_string(job.spec.parents.front())
                + (job.spec.parents.size() > 1 ? " and others" : "") + " to complete everywhere");
    if (job.phase == job_phase::nobody)
        return queued("phase", "the job was not let go yet" + because(job.reason));
    if (job.phase == job_phase::canaries && !about.canary && about.rest_starts)
        return queued(
            "canaries",
            "the canaries succeeded, and the job waits until " + spoken(*about.rest_starts)
                + " before the rest starts");
    if (job.phase == job_phase::canaries && !about.canary)
        return queued("canaries", "the canaries go first, and not all of them have succeeded yet");
    return std::nullopt;
}

// What holds this system.
std::optional<explanation> held_system(const task_situation& about) {
    if (!about.known)
        return queued("gone", "the system is not in the fleet any more; the task will expire");
    if (!about.attached) {
        const auto since =
            about.last_seen ? "away since " + spoken(*about.last_seen) : "not there yet";
        const auto then =
            about.job.spec.rollout.on_return
                ? "; it starts when the system comes back, until " + spoken(expires_at(about.job))
                : "; the job does not wait for it, so it will fail";
        return queued("away", "the system is " + since + then);
    }
    if (about.window_rule) return queued("window", *about.window_rule);
    if (about.window_opens && *about.window_opens > about.now)
        return queued("window", "its window is closed until " + spoken(*about.window_opens));
    return std::nullopt;
}

explanation waiting(const task_situation& about) {
    if (about.task && about.task->attempt > 1)
        return queued(
            "retry",
            "attempt " + std::to_string(about.task->attempt - 1) + " failed"
                + because(about.task->reason) + "; attempt " + std::to_string(about.task->attempt)
                + " follows after a pause");
    if (about.places && about.running >= *about.places)
        return queued(
            "batch",
            "all " + std::to_string(*about.places) + " places of the job are taken; it is its turn "
                "when one ends");
    if (about.job.spec.rollout.rate)
        return queued("rate", "the job's limit of starts a second lets others go first");
    return queued(
        "turn", "nothing of the job holds it; it starts when its node and the system have a place");
}

explanation ended(const task_situation& about, const task_record& task) {
    const auto when = task.ended ? " at " + spoken(*task.ended) : std::string();
    const auto attempt =
        task.attempt > 1 ? ", attempt " + std::to_string(task.attempt) : std::string();
    explanation response{.state = task.state, .cause = "ended", .sentence = {}};
    if (task.state == task_state::completed) {
        response.sentence = "completed" + when + attempt;
        return response;
    }
    response.sentence = std::string(to_string(task.state)) + when + attempt;
    if (!task.reason.empty()) {
        response.sentence += because(task.reason);
    } else if (task.state == task_state::failed) {
        response.sentence += ": exit code " + std::to_string(task.exit_code);
    } else {
        response.sentence += because(about.job.reason);
    }
    return response;
}

explanation running(const task_situation& about, const task_record& task) {
    auto sentence = std::string("picked up");
    if (task.picked_up) sentence += " at " + spoken(*task.picked_up);
    if (!task.node.empty()) sentence += " through node " + task.node;
    if (task.attempt > 1) sentence += ", attempt " + std::to_string(task.attempt);
    sentence += "; no return yet";
    if (!about.where.empty()) sentence += ": " + about.where;
    if (!about.attached) sentence += ", and the system is away: it answers when it is back";
    return {.state = task_state::picked_up, .cause = "running", .sentence = std::move(sentence)};
}

// The job ended before the task began.
explanation never_started(const task_situation& about, task_state state) {
    const auto& job = about.job;
    auto sentence = std::string(to_string(state)) + ": ";
    if (state == task_state::expired) {
        sentence += "the job's time was over at " + spoken(expires_at(job));
        if (!about.attached && about.last_seen)
            sentence += ", and the system was away since " + spoken(*about.last_seen);
        return {.state = state, .cause = "expired", .sentence = std::move(sentence)};
    }
    const bool halted = job.stage == job_stage::halted;
    sentence += halted ? "the job was stopped before its turn" : "the job was cancelled";
    sentence += because(job.reason);
    return {
        .state = state, .cause = halted ? "halted" : "cancelled", .sentence = std::move(sentence)};
}

}  // namespace

explanation why(const task_situation& about) {
    if (!about.target)
        return {
            .state = task_state::queued,
            .cause = "no_target",
            .sentence =
                "the system is no target of this job; the targets were fixed when it was "
                "made"};
    const auto* const task = about.task ? &*about.task : nullptr;
    const auto state = state_of(task, about.job.stage);
    if (task != nullptr && is_end(task->state)) return ended(about, *task);
    if (is_end(state)) return never_started(about, state);
    if (task != nullptr && state == task_state::picked_up) return running(about, *task);
    if (auto held = held_job(about)) return *std::move(held);
    if (auto held = held_system(about)) return *std::move(held);
    return waiting(about);
}

}  // namespace muster::jobs
