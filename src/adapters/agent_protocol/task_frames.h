#pragma once

#include "core/session/agent_tasks.h"

#include <agent_protocol.pb.h>
#include <cstddef>
#include <string>
#include <vector>

// Tasks and reports as the core knows them and as they go over the wire.
namespace muster::agent_protocol {

// What an agent does not let a peer exceed.
struct task_limits {
    static constexpr std::size_t function_bytes_max = 128;
    static constexpr std::size_t reason_bytes_max = 512;
    static constexpr std::size_t inline_payload_bytes_max = 512;
    static constexpr std::size_t reports_of_frame_max = 400;
    static constexpr std::uint32_t payload_part_bytes_max = 256 * 1024;
    // What a node takes of a payload, as it is and as a zstd frame.
    static constexpr std::size_t payload_bytes_max = std::size_t{8} * 1024 * 1024;
    static constexpr std::size_t payload_packed_bytes_max = std::size_t{4} * 1024 * 1024 - 4096;
    static constexpr monotonic::duration timeout_default = std::chrono::hours(1);
    static constexpr monotonic::duration timeout_max = std::chrono::hours(24 * 7);
    static constexpr monotonic::duration start_within_max = std::chrono::hours(24 * 366);
};

session::task_name name_of(const TaskName& wire);
void set_name(TaskName& wire, session::task_name name);

// A timeout of none is the default one.
session::task_order order_of(const Task& wire);
Task task_of(const session::task_order& order);

Report report_of(const session::task_report& report);
session::task_report report_of(const Report& wire);

std::vector<session::task_name> names_of(const ReportsTaken& wire);

// As many frames as it takes.
std::vector<Frame> frames_of(const session::send_reports& send_reports);
Frame frame_of(const session::send_held& send_held);
// What waits and what runs.
Frame running_frame(const std::vector<session::agent_tasks::view>& unended);

}  // namespace muster::agent_protocol
