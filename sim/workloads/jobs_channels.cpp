#include "sim/workloads/jobs_channels.h"

#include "roles/node/connections/frames.h"

#include <utility>

namespace muster::sim {

namespace {

using namespace std::chrono_literals;
using muster::agent_protocol::Frame;
using session::reason;

constexpr session::node_terms terms{.heartbeat = 2s, .silence = 6s, .hello_time = 4s};
constexpr session::pauses pauses{.busy = 1s, .orphan = 1s, .stopping = 1s, .fresh = 1s};
constexpr auto look_interval = 500ms;
constexpr auto hasty_delay = 1s;

dispatch::channel_id channel_of(streams::id which) {
    return {.loop = 0, .number = which};
}

}  // namespace

jobs_channels::jobs_channels(surroundings around, habit how)
    : around_(around),
      how_(how),
      links_(
          around.stage,
          around.host,
          {.opened =
               [this](streams::id which) {
                   all_.emplace(
                       which,
                       channel{
                           .session = session::node_session(terms, now()),
                           .frames = muster::agent_protocol::frame_reader(),
                           .print = fingerprint(fingerprint::bytes_type{}),
                           .system = {}});
               },
           .received = [this](
                           streams::id which, std::string_view bytes) { received(which, bytes); },
           .ended =
               [this](streams::id which) {
                   const auto found = all_.find(which);
                   if (found != all_.end())
                       perform(which, found->second.session.lost(reason::broken));
               }},
          {}) {
    look_after_all();
}

void jobs_channels::look_after_all() {
    around_.host.time().call_after(look_interval, [this] {
        std::vector<streams::id> ids;
        for (const auto& [which, one] : all_) ids.push_back(which);
        for (const auto which : ids) {
            const auto found = all_.find(which);
            if (found == all_.end()) continue;
            perform(which, found->second.session.expire(now()));
            const auto still = all_.find(which);
            if (still == all_.end() || !still->second.session.attached()) continue;
            auto judged =
                session::reconsider(around_.known.look_up(still->second.print).now, pauses);
            if (judged) let_go(which, *std::move(judged));
        }
        look_after_all();
    });
}

void jobs_channels::received(streams::id which, std::string_view bytes) {
    auto found = all_.find(which);
    if (found == all_.end()) return;
    found->second.frames.feed(bytes);
    while (found != all_.end()) {
        const auto next = found->second.frames.next();
        if (!next) return perform(which, found->second.session.malformed());
        if (!*next) return;
        take(which, **next);
        found = all_.find(which);
    }
}

void jobs_channels::take(streams::id which, const Frame& frame) {
    channel& one = all_.at(which);
    switch (frame.kind_case()) {
        case Frame::kHello:
            return take_hello(which, frame.hello());
        case Frame::kBeat:
            return perform(
                which, one.session.beat(frame.beat().sequence(), around_.known.fenced(), now()));
        case Frame::kTasksHeld:
        case Frame::kReports:
        case Frame::kPayloadPart:
            perform(which, one.session.other_frame(now()));
            return take_of_tasks(which, frame);
        default:
            return perform(which, one.session.malformed());
    }
}

void jobs_channels::take_hello(streams::id which, const muster::agent_protocol::Hello& said) {
    channel& one = all_.at(which);
    const auto print = fingerprint::parse(said.proof());
    if (!print || one.session.attached()) return perform(which, one.session.malformed());
    one.print = *print;
    const auto found = around_.known.look_up(*print);
    const auto judged = session::judge(found.now, pauses);
    one.system = found.now.number;
    perform(which, one.session.hello(judged, now()));
    if (!std::holds_alternative<session::welcome>(judged)) return;
    one.present = true;
    const auto before = holders_.find(one.system);
    const auto replaced = before == holders_.end() ? streams::id(0) : before->second;
    holders_[one.system] = which;
    if (replaced != 0) let_go(replaced, {.why = reason::replaced, .address = {}});
}

void jobs_channels::take_of_tasks(streams::id which, const Frame& frame) {
    if (how_ == habit::hasty && frame.has_reports()) return acknowledge_at_once(which, frame);
    hand_on(which, frame);
}

void jobs_channels::hand_on(streams::id which, const Frame& frame) {
    const auto found = all_.find(which);
    if (found == all_.end() || !found->second.session.attached()) return;
    around_.tasks.push(
        dispatch::agent_said{
            .system = found->second.system, .over = channel_of(which), .frame = frame},
        frame.ByteSizeLong());
}

void jobs_channels::acknowledge_at_once(streams::id which, const Frame& frame) {
    Frame answer;
    for (const auto& each : frame.reports().reports())
        *answer.mutable_reports_taken()->add_tasks() = each.task();
    write(which, answer);
    around_.host.time().call_after(hasty_delay, [this, which, frame] { hand_on(which, frame); });
}

void jobs_channels::let_go(streams::id which, session::refusal why) {
    const auto found = all_.find(which);
    if (found != all_.end()) perform(which, found->second.session.let_go(std::move(why)));
}

void jobs_channels::perform(streams::id which, const session::node_effects& what) {
    for (const auto& each : what) {
        if (const auto* beat = std::get_if<session::send_beat>(&each)) {
            write(which, node::beat_frame(*beat));
        } else if (const auto* welcome = std::get_if<session::send_welcome>(&each)) {
            write(which, node::welcome_frame(welcome->what, terms, around_.known.name()));
        } else if (const auto* refusal = std::get_if<session::send_refusal>(&each)) {
            write(which, node::refusal_frame(refusal->what));
        } else if (const auto* goodbye = std::get_if<session::send_goodbye>(&each)) {
            write(which, node::goodbye_frame(goodbye->what));
        } else {
            hung_up(which);
        }
    }
}

void jobs_channels::hung_up(streams::id which) {
    const auto gone = all_.extract(which);
    links_.close(which);
    if (gone.empty() || !gone.mapped().present) return;
    const auto system = gone.mapped().system;
    around_.tasks.push(dispatch::agent_left{.system = system, .over = channel_of(which)}, 0);
    const auto holder = holders_.find(system);
    if (holder != holders_.end() && holder->second == which) holders_.erase(holder);
}

void jobs_channels::send(std::vector<dispatch::outgoing> frames) {
    for (const auto& each : frames) {
        const auto found = all_.find(each.to.number);
        if (found == all_.end() || !found->second.session.attached()) continue;
        if (each.frame.has_task()) note_grant(found->second, each.frame.task());
        write(each.to.number, each.frame);
    }
}

void jobs_channels::note_grant(const channel& to, const muster::agent_protocol::Task& task) {
    around_.rules.granted(
        {.job = job_id(task.job()), .system = to.system, .attempt = task.attempt()},
        around_.kinds.at(kind_named_in(task.arguments())),
        around_.host.time().wall());
}

void jobs_channels::write(streams::id which, const Frame& frame) {
    links_.send(which, muster::agent_protocol::encode(frame));
}

}  // namespace muster::sim
