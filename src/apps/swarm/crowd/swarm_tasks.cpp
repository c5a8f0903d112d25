#include "apps/swarm/crowd/swarm_tasks.h"

#include "adapters/channel/frame_codec.h"
#include "adapters/pki/fingerprint.h"

#include <string_view>
#include <utility>

namespace muster::swarm {

using channel::Frame;
using session::task_ending;

namespace {

constexpr std::string_view pong = "true";
constexpr std::string_view ran =
    R"({"stdout":"swarm\n","stderr":"","exit_code":0,"truncated":false})";

task_ending ending_with(std::string_view payload) {
    return {
        .outcome = session::task_outcome::succeeded,
        .digest = pki::sha256(payload),
        .payload_size = payload.size(),
        .inline_payload = std::string(payload)};
}

const task_ending& ending_of(std::string_view function) {
    static const task_ending of_ping = ending_with(pong);
    static const task_ending of_others = ending_with(ran);
    return function == "test.ping" ? of_ping : of_others;
}

session::agent_tasks_options small() {
    return {.remembered_max = 16, .unreported_max = 1000};
}

}  // namespace

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
        case Frame::kPayloadTaken:
        case Frame::kOutputWanted:
            return true;  // everything is within the reports
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
            perform(machine_->ended(order.name, ending_of(order.function), at), at);
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
    // Nothing runs for longer than a moment.
    if (std::exchange(running_asked_, false)) channel::append(out, channel::running_frame({}));
}

}  // namespace muster::swarm
