#include "apps/swarm/agents/swarm_tasks.h"

#include "adapters/agent_protocol/frame_codec.h"
#include "adapters/pki/fingerprint.h"
#include "core/model/chain.h"

#include <string_view>
#include <utility>

namespace muster::swarm {

using agent_protocol::Frame;
using session::agent_tasks;
using session::task_ending;

namespace {

constexpr std::string_view pong = "true";
constexpr std::string_view ran =
    R"({"stdout":"swarm\n","stderr":"","exit_code":0,"truncated":false})";

constexpr std::string_view chained =
    R"({"steps":[{"step":1,"function":"cmd.run","outcome":"succeeded","seconds":0}]})";

task_ending ending_with(std::string_view payload) {
    return {
        .outcome = session::task_outcome::succeeded,
        .digest = pki::sha256(payload),
        .payload_size = payload.size(),
        .inline_payload = std::string(payload)};
}

const task_ending& small_ending_of(std::string_view function) {
    static const task_ending of_ping = ending_with(pong);
    static const task_ending of_chain = ending_with(chained);
    static const task_ending of_others = ending_with(ran);
    if (function == chain_function) return of_chain;
    return function == "test.ping" ? of_ping : of_others;
}

session::agent_tasks_options small() {
    return {.remembered_max = 16, .owed_max = 64, .unreported_max = 1000};
}

}  // namespace

task_ending swarm_tasks::ending_of(const session::task_order& order) {
    if (!has_outputs() || order.function == "test.ping") return small_ending_of(order.function);
    return outputs_.made->ending_of(outputs_.agent, order.name);
}

swarm_tasks::driver& swarm_tasks::machine() {
    if (!machine_) machine_ = std::make_unique<driver>(*this, small());
    return *machine_;
}

void swarm_tasks::attached(std::string& out, moment at) {
    at_ = at;
    if (machine_) {
        machine_->feed(&agent_tasks::attached);
    } else {
        held_.all = true;
    }
    flush(out);
}

void swarm_tasks::channel_lost() {
    arrivals_.clear();
    parts_.clear();
    if (machine_) machine_->feed(&agent_tasks::channel_lost);
}

bool swarm_tasks::take(const Frame& frame, moment at) {
    at_ = at;
    switch (frame.kind_case()) {
        case Frame::kTask:
            arrivals_.push_back(
                {.order = agent_protocol::order_of(frame.task()),
                 .nature = session::task_nature::harmless});
            return true;
        case Frame::kReportsTaken:
            counted_.reports_taken +=
                static_cast<std::uint64_t>(frame.reports_taken().tasks_size());
            if (machine_)
                machine_->feed(
                    &agent_tasks::reports_taken, agent_protocol::names_of(frame.reports_taken()));
            return true;
        case Frame::kTaskSignal:
            machine().feed(
                &agent_tasks::signalled,
                agent_protocol::name_of(frame.task_signal().task()),
                session::task_signal::ask);
            return true;
        case Frame::kRunningWanted:
            running_asked_ = true;
            return true;
        case Frame::kPayloadWanted:
            if (has_outputs())
                parts_.push_back(outputs_.made->part_of(outputs_.agent, frame.payload_wanted()));
            return true;
        case Frame::kPayloadTaken:
            if (machine_)
                machine_->feed(
                    &agent_tasks::payload_taken,
                    agent_protocol::name_of(frame.payload_taken().task()));
            return true;
        case Frame::kOutputWanted:
            return true;  // nothing runs for longer than a moment
        default:
            return false;
    }
}

void swarm_tasks::read_done(std::string& out, moment at) {
    at_ = at;
    if (!arrivals_.empty() && !machine_) {
        machine().feed(&agent_tasks::attached);
        held_ = {};  // said when the channel began
    }
    if (!arrivals_.empty()) machine_->feed(&agent_tasks::arrived, std::exchange(arrivals_, {}));
    if (machine_ && (*machine_)->next_deadline().value_or(instant::max()) <= at.now)
        machine_->feed(&agent_tasks::expire);
    flush(out);
}

void swarm_tasks::perform(const session::run_task& effect) {
    ++counted_.tasks;
    machine_->feed(&agent_tasks::ended, effect.order.name, ending_of(effect.order));
}

void swarm_tasks::perform(const session::send_held& effect) {
    held_.all = held_.all || effect.all;
    held_.tasks.insert(held_.tasks.end(), effect.tasks.begin(), effect.tasks.end());
}

void swarm_tasks::perform(const session::send_reports& effect) {
    reports_.reports.insert(reports_.reports.end(), effect.reports.begin(), effect.reports.end());
}

void swarm_tasks::flush(std::string& out) {
    // What is known is reported by now.
    std::erase_if(held_.tasks, [](const auto& each) { return !each.unknown; });
    if (held_.all || !held_.tasks.empty())
        agent_protocol::append(out, agent_protocol::frame_of(held_));
    held_ = {};
    for (const auto& report : agent_protocol::frames_of(reports_))
        agent_protocol::append(out, report);
    reports_ = {};
    for (auto& part : std::exchange(parts_, {})) {
        Frame frame;
        *frame.mutable_payload_part() = std::move(part);
        agent_protocol::append(out, frame);
    }
    // Nothing runs for longer than a moment.
    if (std::exchange(running_asked_, false))
        agent_protocol::append(out, agent_protocol::running_frame({}));
}

}  // namespace muster::swarm
