#pragma once

#include "core/session/agent_tasks.h"

#include <agent_protocol.pb.h>
#include <cstddef>
#include <string>
#include <vector>

// Conversions between the core's tasks and reports and their wire format.
namespace muster::agent_protocol {

// Limits that agents and nodes enforce.
struct task_limits {
    static constexpr std::size_t function_bytes_max = 128;
    static constexpr std::size_t reason_bytes_max = 512;
    static constexpr std::size_t inline_payload_bytes_max = 512;
    static constexpr std::size_t reports_per_frame_max = 400;
    static constexpr std::uint32_t payload_part_bytes_max = 256 * 1024;
    // Payload sizes that nodes accept, uncompressed and as a zstd frame.
    static constexpr std::size_t payload_bytes_max = std::size_t{8} * 1024 * 1024;
    static constexpr std::size_t payload_compressed_bytes_max = std::size_t{4} * 1024 * 1024 - 4096;
    static constexpr monotonic::duration timeout_default = std::chrono::hours(1);
    static constexpr monotonic::duration timeout_max = std::chrono::hours(24 * 7);
    static constexpr monotonic::duration start_within_max = std::chrono::hours(24 * 366);
};

session::task_name to_task_name(const TaskName& wire);
void set_name(TaskName& wire, session::task_name name);

// A timeout of 0 means the default.
session::task_request to_task_request(const Task& wire);
Task to_task(const session::task_request& order);

Report to_report(const session::task_report& report);
session::task_report to_report(const Report& wire);

std::vector<session::task_name> to_task_names(const ReportsTaken& wire);

// Splits the reports into as many frames as needed.
std::vector<Frame> to_frames(const session::send_reports& send_reports);
Frame to_frame(const session::send_held_tasks& send_held);
// Waiting and running tasks.
Frame running_frame(const std::vector<session::agent_tasks::view>& tasks);

}  // namespace muster::agent_protocol
