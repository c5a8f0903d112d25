#include "apps/swarm/crowd/swarm_tasks.h"

#include "adapters/channel/frame_codec.h"
#include "adapters/pki/fingerprint.h"
#include "core/model/chain.h"

#include <string_view>
#include <utility>

namespace muster::swarm {

using channel::Frame;
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

void swarm_tasks::attached(std::string& out, moment at) {
    if (machine_) {
        perform(machine_->attached(at), at);
    } else {
        held_.all = true;
    }
    flush(out);
}

void swarm_tasks::channel_lost() {
    arrivals_.clear();
    parts_.clear();
    if (machine_) machine_->channel_lost();
}

bool swarm_tasks::take(const Frame& frame, moment at) {
    switch (frame.kind_case()) {
        case Frame::kTask:
            arrivals_.push_back(
                {.order = channel::order_of(frame.task()),
                 .nature = session::task_nature::harmless});
            return true;
        case Frame::kReportsTaken:
            counted_.reports_taken +=
                static_cast<std::uint64_t>(frame.reports_taken().tasks_size());
            if (machine_)
                perform(machine_->reports_taken(channel::names_of(frame.reports_taken()), at), at);
            return true;
        case Frame::kTaskSignal:
            if (!machine_) machine_ = std::make_unique<session::agent_tasks>(small());
            perform(
                machine_->signalled(
                    channel::name_of(frame.task_signal().task()), session::task_signal::ask, at),
                at);
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
                perform(
                    machine_->payload_taken(channel::name_of(frame.payload_taken().task()), at),
                    at);
            return true;
        case Frame::kOutputWanted:
            return true;  // nothing runs for longer than a moment
        default:
            return false;
    }
}

void swarm_tasks::read_done(std::string& out, moment at) {
    if (!arrivals_.empty() && !machine_) {
        machine_ = std::make_unique<session::agent_tasks>(small());
        perform(machine_->attached(at), at);
        held_ = {};  // said when the channel began
    }
    if (!arrivals_.empty()) perform(machine_->arrived(std::exchange(arrivals_, {}), at), at);
    if (machine_ && machine_->next_deadline().value_or(instant::max()) <= at.now)
        perform(machine_->expire(at), at);
    flush(out);
}

void swarm_tasks::perform(session::task_effects what, moment at) {
    for (auto& each : what) {
        if (const auto* begun = std::get_if<session::run_task>(&each)) {
            ++counted_.tasks;
            const auto& order = begun->order;
            perform(machine_->ended(order.name, ending_of(order), at), at);
        } else if (auto* held = std::get_if<session::send_held>(&each)) {
            held_.all = held_.all || held->all;
            held_.tasks.insert(held_.tasks.end(), held->tasks.begin(), held->tasks.end());
        } else if (auto* said = std::get_if<session::send_reports>(&each)) {
            for (auto& report : said->reports) reports_.reports.push_back(std::move(report));
        }
    }
}

void swarm_tasks::flush(std::string& out) {
    // What is known is reported by now.
    std::erase_if(held_.tasks, [](const auto& each) { return !each.unknown; });
    if (held_.all || !held_.tasks.empty()) channel::append(out, channel::frame_of(held_));
    held_ = {};
    for (const auto& each : channel::frames_of(reports_)) channel::append(out, each);
    reports_ = {};
    for (auto& each : std::exchange(parts_, {})) {
        Frame frame;
        *frame.mutable_payload_part() = std::move(each);
        channel::append(out, frame);
    }
    // Nothing runs for longer than a moment.
    if (std::exchange(running_asked_, false)) channel::append(out, channel::running_frame({}));
}

}  // namespace muster::swarm
