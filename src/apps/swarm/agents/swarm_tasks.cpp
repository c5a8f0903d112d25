#include "apps/swarm/agents/swarm_tasks.h"

#include "adapters/agent_protocol/frame_codec.h"
#include "adapters/pki/fingerprint.h"
#include "core/model/chain.h"

#include <string_view>
#include <utility>

namespace muster::swarm {

using agent_protocol::Frame;
using session::agent_tasks;
using session::task_result;

namespace {

constexpr std::string_view ping_payload = "true";
constexpr std::string_view command_payload =
    R"({"stdout":"swarm\n","stderr":"","exit_code":0,"truncated":false})";

constexpr std::string_view chain_payload =
    R"({"steps":[{"step":1,"function":"cmd.run","outcome":"succeeded","seconds":0}]})";

task_result build_success(std::string_view payload) {
    return {
        .outcome = session::task_outcome::succeeded,
        .digest = pki::sha256(payload),
        .payload_size = payload.size(),
        .inline_payload = std::string(payload)};
}

const task_result& small_result(std::string_view function) {
    static const task_result ping = build_success(ping_payload);
    static const task_result chain = build_success(chain_payload);
    static const task_result other = build_success(command_payload);
    if (function == chain_function) return chain;
    return function == "test.ping" ? ping : other;
}

session::agent_tasks_options small_options() {
    return {.remembered_max = 16, .undelivered_max = 64, .unacknowledged_max = 1000};
}

}  // namespace

task_result swarm_tasks::build_result(const session::task_request& order) {
    if (!has_payloads() || order.function == "test.ping") return small_result(order.function);
    return payloads_.payloads->build_result(payloads_.agent, order.name);
}

swarm_tasks::driver& swarm_tasks::machine() {
    if (!machine_) machine_ = std::make_unique<driver>(*this, small_options());
    return *machine_;
}

void swarm_tasks::attached(std::string& out, moment time) {
    now_ = time;
    if (machine_) {
        machine_->feed(&agent_tasks::on_attached);
    } else {
        held_.complete = true;
    }
    flush(out);
}

void swarm_tasks::channel_lost() {
    arrivals_.clear();
    parts_.clear();
    if (machine_) machine_->feed(&agent_tasks::on_detached);
}

bool swarm_tasks::handle(const Frame& frame, moment time) {
    now_ = time;
    switch (frame.kind_case()) {
        case Frame::kTask:
            arrivals_.push_back(
                {.request = agent_protocol::to_task_request(frame.task()),
                 .nature = session::task_nature::harmless});
            return true;
        case Frame::kReportsTaken:
            counters_.reports_taken +=
                static_cast<std::uint64_t>(frame.reports_taken().tasks_size());
            if (machine_)
                machine_->feed(
                    &agent_tasks::on_reports_acknowledged,
                    agent_protocol::to_task_names(frame.reports_taken()));
            return true;
        case Frame::kTaskSignal:
            machine().feed(
                &agent_tasks::on_signal,
                agent_protocol::to_task_name(frame.task_signal().task()),
                session::task_signal::query);
            return true;
        case Frame::kRunningWanted:
            running_requested_ = true;
            return true;
        case Frame::kPayloadWanted:
            if (has_payloads())
                parts_.push_back(
                    payloads_.payloads->build_part(payloads_.agent, frame.payload_wanted()));
            return true;
        case Frame::kPayloadTaken:
            if (machine_)
                machine_->feed(
                    &agent_tasks::on_payload_delivered,
                    agent_protocol::to_task_name(frame.payload_taken().task()));
            return true;
        case Frame::kOutputWanted:
            return true;  // no task runs long enough for live output
        default:
            return false;
    }
}

void swarm_tasks::read_done(std::string& out, moment time) {
    now_ = time;
    if (!arrivals_.empty() && !machine_) {
        machine().feed(&agent_tasks::on_attached);
        held_ = {};  // already sent when the connection began
    }
    if (!arrivals_.empty()) machine_->feed(&agent_tasks::on_received, std::exchange(arrivals_, {}));
    if (machine_ && (*machine_)->next_deadline().value_or(instant::max()) <= time.now)
        machine_->feed(&agent_tasks::expire);
    flush(out);
}

void swarm_tasks::perform(const session::run_task& effect) {
    ++counters_.tasks;
    machine_->feed(&agent_tasks::on_ended, effect.request.name, build_result(effect.request));
}

void swarm_tasks::perform(const session::send_held_tasks& effect) {
    held_.complete = held_.complete || effect.complete;
    held_.tasks.insert(held_.tasks.end(), effect.tasks.begin(), effect.tasks.end());
}

void swarm_tasks::perform(const session::send_reports& effect) {
    reports_.reports.insert(reports_.reports.end(), effect.reports.begin(), effect.reports.end());
}

void swarm_tasks::flush(std::string& out) {
    // Known tasks are in the reports.
    std::erase_if(held_.tasks, [](const auto& task) { return !task.unknown; });
    if (held_.complete || !held_.tasks.empty())
        agent_protocol::append(out, agent_protocol::to_frame(held_));
    held_ = {};
    for (const auto& report : agent_protocol::to_frames(reports_))
        agent_protocol::append(out, report);
    reports_ = {};
    for (auto& part : std::exchange(parts_, {})) {
        Frame frame;
        *frame.mutable_payload_part() = std::move(part);
        agent_protocol::append(out, frame);
    }
    // No task runs for longer than a moment.
    if (std::exchange(running_requested_, false))
        agent_protocol::append(out, agent_protocol::running_frame({}));
}

}  // namespace muster::swarm
