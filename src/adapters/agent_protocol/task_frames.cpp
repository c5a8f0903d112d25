#include "adapters/agent_protocol/task_frames.h"

#include <algorithm>
#include <chrono>

namespace muster::agent_protocol {
namespace {

std::int64_t microseconds_of(wall_time when) {
    return when.time_since_epoch().count();
}

wall_time wall_of(std::int64_t microseconds) {
    return wall_time(std::chrono::microseconds(microseconds));
}

// At most so long, whatever the peer says.
monotonic::duration span_of(std::uint64_t milliseconds, monotonic::duration longest) {
    const auto most = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(longest).count());
    return std::chrono::milliseconds(std::min(milliseconds, most));
}

std::uint64_t milliseconds_of(monotonic::duration span) {
    return static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::milliseconds>(span).count());
}

// Not cut in the middle of a letter: the field is UTF-8.
std::string shortened(std::string text) {
    if (text.size() <= task_limits::reason_bytes_max) return text;
    std::size_t end = task_limits::reason_bytes_max;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
    text.resize(end);
    return text;
}

}  // namespace

session::task_name name_of(const TaskName& wire) {
    return {.job = wire.job(), .attempt = wire.attempt()};
}

void set_name(TaskName& wire, session::task_name name) {
    wire.set_job(name.job);
    wire.set_attempt(name.attempt);
}

session::task_order order_of(const Task& wire) {
    const auto timeout = span_of(wire.timeout_ms(), task_limits::timeout_max);
    return {
        .name = {.job = wire.job(), .attempt = wire.attempt()},
        .function = wire.function().substr(0, task_limits::function_bytes_max),
        .arguments = wire.arguments(),
        .timeout = wire.timeout_ms() == 0 ? task_limits::timeout_default : timeout,
        .may_run_again = wire.may_run_again(),
        .start_within = span_of(wire.start_within_ms(), task_limits::start_within_max)};
}

Task task_of(const session::task_order& order) {
    Task wire;
    wire.set_job(order.name.job);
    wire.set_attempt(order.name.attempt);
    wire.set_function(order.function);
    wire.set_arguments(order.arguments);
    wire.set_timeout_ms(milliseconds_of(order.timeout));
    wire.set_may_run_again(order.may_run_again);
    wire.set_start_within_ms(milliseconds_of(order.start_within));
    return wire;
}

Report report_of(const session::task_report& report) {
    Report wire;
    set_name(*wire.mutable_task(), report.task);
    wire.set_outcome(static_cast<Report::Outcome>(report.how.outcome));
    wire.set_exit_code(report.how.exit_code);
    wire.set_started_us(microseconds_of(report.started));
    wire.set_ended_us(microseconds_of(report.ended));
    wire.set_reason(shortened(report.how.reason));
    wire.set_digest(report.how.digest);
    wire.set_payload_size(report.how.payload_size);
    wire.set_truncated(report.how.truncated);
    wire.set_inline_payload(report.how.inline_payload);
    return wire;
}

session::task_report report_of(const Report& wire) {
    const auto number = static_cast<int>(wire.outcome());
    const bool existing =
        number >= 0 && number <= static_cast<int>(session::task_outcome::not_started);
    return {
        .task = name_of(wire.task()),
        .how =
            {.outcome = static_cast<session::task_outcome>(existing ? number : 0),
             .exit_code = wire.exit_code(),
             .reason = wire.reason(),
             .digest = wire.digest(),
             .payload_size = wire.payload_size(),
             .truncated = wire.truncated(),
             .inline_payload = wire.inline_payload()},
        .started = wall_of(wire.started_us()),
        .ended = wall_of(wire.ended_us())};
}

std::vector<session::task_name> names_of(const ReportsTaken& wire) {
    std::vector<session::task_name> names;
    for (const auto& task : wire.tasks()) names.push_back(name_of(task));
    return names;
}

std::vector<Frame> frames_of(const session::send_reports& send_reports) {
    std::vector<Frame> frames;
    for (std::size_t at = 0; at < send_reports.reports.size(); ++at) {
        if (at % task_limits::reports_of_frame_max == 0) frames.emplace_back();
        *frames.back().mutable_reports()->add_reports() = report_of(send_reports.reports[at]);
    }
    return frames;
}

Frame frame_of(const session::send_held& send_held) {
    Frame frame;
    auto& wire = *frame.mutable_tasks_held();
    wire.set_all(send_held.all);
    for (const auto& task : send_held.tasks) {
        auto& one = *wire.add_held();
        set_name(*one.mutable_task(), task.task);
        one.set_since_us(microseconds_of(task.since));
        one.set_unknown(task.unknown);
        one.set_where(shortened(task.where));
    }
    return frame;
}

Frame running_frame(const std::vector<session::agent_tasks::view>& unended) {
    Frame frame;
    auto& running = *frame.mutable_running();
    for (const auto& each : unended) {
        auto& one = *running.add_tasks();
        set_name(*one.mutable_task(), each.task->order.name);
        one.set_function(each.task->order.function);
        one.set_since_us(microseconds_of(each.task->since));
        one.set_waits(!each.running);
        one.set_where(shortened(each.where));
    }
    return frame;
}

}  // namespace muster::agent_protocol
