#include "roles/node/dispatch/task_frames.h"

#include "core/table/utf8.h"

#include <algorithm>
#include <chrono>

namespace muster::dispatch {
namespace {

using muster::agent_protocol::Frame;
using muster::agent_protocol::Report;

// The agent's clock may be wrong: implausible times become the current time.
wall_time to_plausible_time(std::int64_t microseconds, wall_time now) {
    constexpr auto age_max = std::chrono::hours(24 * 366);
    const wall_time time{std::chrono::microseconds(microseconds)};
    if (time > now || time < now - age_max) return now;
    return time;
}

std::string to_display_text(const std::string& reason) {
    auto text = reason.substr(0, report_limits::reason_bytes_max);
    std::ranges::replace(text, '\0', ' ');
    if (table::is_utf8_without_nul(text)) return text;
    std::ranges::replace_if(text, [](char c) { return static_cast<signed char>(c) < 0; }, '?');
    return text;
}

std::string reason_of(const Report& report) {
    if (!report.reason().empty()) return to_display_text(report.reason());
    switch (report.outcome()) {
        case Report::OUTCOME_SUCCEEDED:
            return {};
        case Report::OUTCOME_TIMED_OUT:
            return "timed out";
        case Report::OUTCOME_INTERRUPTED:
            return "interrupted: agent stopped while the task ran";
        case Report::OUTCOME_CANCELLED:
            return "cancelled";
        case Report::OUTCOME_NOT_STARTED:
            return "maintenance window closed before the task started";
        default:
            return "exit code " + std::to_string(report.exit_code());
    }
}

}  // namespace

Frame task_frame(
    const rollout::attempt_key& task,
    const job_spec& spec,
    std::optional<monotonic::duration> start_within) {
    Frame frame;
    auto& message = *frame.mutable_task();
    message.set_job(task.job.value());
    message.set_attempt(task.attempt);
    message.set_function(spec.function);
    message.set_arguments(spec.arguments);
    message.set_timeout_ms(static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(spec.timeout).count()));
    message.set_may_run_again(spec.may_run_again);
    // Zero means none.
    if (start_within)
        message.set_start_within_ms(static_cast<std::uint64_t>(std::max<std::int64_t>(
            std::chrono::floor<std::chrono::milliseconds>(*start_within).count(), 1)));
    return frame;
}

Frame signal_frame(
    const rollout::attempt_key& task, muster::agent_protocol::TaskSignal::Kind kind) {
    Frame frame;
    auto& message = *frame.mutable_task_signal();
    message.mutable_task()->set_job(task.job.value());
    message.mutable_task()->set_attempt(task.attempt);
    message.set_kind(kind);
    return frame;
}

Frame report_taken_frame(const task_record& row) {
    Frame frame;
    auto& name = *frame.mutable_reports_taken()->add_tasks();
    name.set_job(row.job.value());
    name.set_attempt(row.state == task_state::queued ? row.attempt - 1 : row.attempt);
    return frame;
}

Frame payload_taken_frame(const task_record& row, std::uint32_t attempt) {
    Frame frame;
    auto& name = *frame.mutable_payload_taken()->mutable_task();
    name.set_job(row.job.value());
    name.set_attempt(attempt);
    return frame;
}

bool has_separate_payload(const task_record& row) {
    return !row.digest.empty() && row.inline_payload.empty();
}

rollout::attempt_key key_of(const muster::agent_protocol::TaskName& name, system_number system) {
    return {.job = job_id(name.job()), .system = system, .attempt = name.attempt()};
}

rollout::outcome outcome_of(const Report& report) {
    switch (report.outcome()) {
        case Report::OUTCOME_SUCCEEDED:
            return rollout::outcome::completed;
        case Report::OUTCOME_INTERRUPTED:
            return rollout::outcome::interrupted;
        case Report::OUTCOME_NOT_STARTED:
            return rollout::outcome::not_started;
        default:
            return rollout::outcome::failed;
    }
}

result<task_record> record_of(const Report& report, system_number system, wall_time now) {
    const bool digest_fits =
        report.digest().empty() || report.digest().size() == report_limits::digest_bytes;
    if (report.task().job() <= 0 || report.task().attempt() == 0 || !digest_fits
        || report.inline_payload().size() > report_limits::inline_payload_bytes_max
        || !Report::Outcome_IsValid(report.outcome())
        || report.outcome() == Report::OUTCOME_UNKNOWN)
        return fail(errc::invalid, "malformed task report");
    task_record row{
        .job = job_id(report.task().job()),
        .system = system.value(),
        .attempt = report.task().attempt()};
    row.state = outcome_of(report) == rollout::outcome::completed ? task_state::completed
                                                                  : task_state::failed;
    row.ended = to_plausible_time(report.ended_us(), now);
    row.picked_up = std::min(to_plausible_time(report.started_us(), now), *row.ended);
    row.exit_code = report.exit_code();
    row.reason = reason_of(report);
    row.digest = report.digest();
    row.payload_size = static_cast<std::int64_t>(
        std::min<std::uint64_t>(report.payload_size(), std::uint64_t{1} << 40U));
    row.truncated = report.truncated();
    row.inline_payload = report.inline_payload();
    return row;
}

void queue_next_attempt(task_record& row) {
    ++row.attempt;
    row.state = task_state::queued;
    row.picked_up.reset();
}

}  // namespace muster::dispatch
