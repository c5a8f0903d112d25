#include "adapters/agent_protocol/task_frames.h"

#include <algorithm>
#include <chrono>

namespace muster::agent_protocol {
namespace {

std::int64_t to_microseconds(wall_time time) {
    return time.time_since_epoch().count();
}

wall_time to_wall_time(std::int64_t microseconds) {
    return wall_time(std::chrono::microseconds(microseconds));
}

// Limits a peer's value.
monotonic::duration to_duration(std::uint64_t milliseconds, monotonic::duration duration_max) {
    const auto milliseconds_max = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(duration_max).count());
    return std::chrono::milliseconds(std::min(milliseconds, milliseconds_max));
}

std::uint64_t to_milliseconds(monotonic::duration duration) {
    return static_cast<std::uint64_t>(
        std::chrono::ceil<std::chrono::milliseconds>(duration).count());
}

// Cuts between two characters: the field is UTF-8.
std::string shorten(std::string text) {
    if (text.size() <= task_limits::reason_bytes_max) return text;
    std::size_t end = task_limits::reason_bytes_max;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
    text.resize(end);
    return text;
}

}  // namespace

session::task_name to_task_name(const TaskName& wire) {
    return {.job = wire.job(), .attempt = wire.attempt()};
}

void set_name(TaskName& wire, session::task_name name) {
    wire.set_job(name.job);
    wire.set_attempt(name.attempt);
}

session::task_request to_task_request(const Task& wire) {
    const auto timeout = to_duration(wire.timeout_ms(), task_limits::timeout_max);
    return {
        .name = {.job = wire.job(), .attempt = wire.attempt()},
        .function = wire.function().substr(0, task_limits::function_bytes_max),
        .arguments = wire.arguments(),
        .timeout = wire.timeout_ms() == 0 ? task_limits::timeout_default : timeout,
        .may_run_again = wire.may_run_again(),
        .start_within = to_duration(wire.start_within_ms(), task_limits::start_within_max)};
}

Task to_task(const session::task_request& order) {
    Task wire;
    wire.set_job(order.name.job);
    wire.set_attempt(order.name.attempt);
    wire.set_function(order.function);
    wire.set_arguments(order.arguments);
    wire.set_timeout_ms(to_milliseconds(order.timeout));
    wire.set_may_run_again(order.may_run_again);
    wire.set_start_within_ms(to_milliseconds(order.start_within));
    return wire;
}

Report to_report(const session::task_report& report) {
    Report wire;
    set_name(*wire.mutable_task(), report.task);
    wire.set_outcome(static_cast<Report::Outcome>(report.result.outcome));
    wire.set_exit_code(report.result.exit_code);
    wire.set_started_us(to_microseconds(report.started));
    wire.set_ended_us(to_microseconds(report.ended));
    wire.set_reason(shorten(report.result.reason));
    wire.set_digest(report.result.digest);
    wire.set_payload_size(report.result.payload_size);
    wire.set_truncated(report.result.truncated);
    wire.set_inline_payload(report.result.inline_payload);
    return wire;
}

session::task_report to_report(const Report& wire) {
    const auto number = static_cast<int>(wire.outcome());
    const bool known =
        number >= 0 && number <= static_cast<int>(session::task_outcome::not_started);
    return {
        .task = to_task_name(wire.task()),
        .result =
            {.outcome = static_cast<session::task_outcome>(known ? number : 0),
             .exit_code = wire.exit_code(),
             .reason = wire.reason(),
             .digest = wire.digest(),
             .payload_size = wire.payload_size(),
             .truncated = wire.truncated(),
             .inline_payload = wire.inline_payload()},
        .started = to_wall_time(wire.started_us()),
        .ended = to_wall_time(wire.ended_us())};
}

std::vector<session::task_name> to_task_names(const ReportsTaken& wire) {
    std::vector<session::task_name> names;
    for (const auto& task : wire.tasks()) names.push_back(to_task_name(task));
    return names;
}

std::vector<Frame> to_frames(const session::send_reports& send_reports) {
    std::vector<Frame> frames;
    for (std::size_t index = 0; index < send_reports.reports.size(); ++index) {
        if (index % task_limits::reports_per_frame_max == 0) frames.emplace_back();
        *frames.back().mutable_reports()->add_reports() = to_report(send_reports.reports[index]);
    }
    return frames;
}

Frame to_frame(const session::send_held_tasks& send_held) {
    Frame frame;
    auto& wire = *frame.mutable_tasks_held();
    wire.set_all(send_held.complete);
    for (const auto& task : send_held.tasks) {
        auto& held_task = *wire.add_held();
        set_name(*held_task.mutable_task(), task.task);
        held_task.set_since_us(to_microseconds(task.since));
        held_task.set_unknown(task.unknown);
        held_task.set_where(shorten(task.activity));
    }
    return frame;
}

Frame running_frame(const std::vector<session::agent_tasks::view>& tasks) {
    Frame frame;
    auto& running = *frame.mutable_running();
    for (const auto& task : tasks) {
        auto& entry = *running.add_tasks();
        set_name(*entry.mutable_task(), task.task->request.name);
        entry.set_function(task.task->request.function);
        entry.set_since_us(to_microseconds(task.task->since));
        entry.set_waits(!task.running);
        entry.set_where(shorten(task.activity));
    }
    return frame;
}

}  // namespace muster::agent_protocol
