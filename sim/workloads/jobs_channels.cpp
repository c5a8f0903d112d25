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

dispatch::channel_id channel_of(streams::id id) {
    return {.loop = 0, .number = id};
}

}  // namespace

jobs_channels::jobs_channels(dependencies deps, habit habit)
    : deps_(deps),
      options_(habit),
      links_(
          deps.stage,
          deps.host,
          {.opened =
               [this](streams::id id) {
                   all_.emplace(
                       id,
                       channel{
                           .session = session::node_session(terms, now()),
                           .frames = muster::agent_protocol::frame_reader(),
                           .print = fingerprint(fingerprint::bytes_type{}),
                           .system = {}});
               },
           .received = [this](streams::id id, std::string_view bytes) { received(id, bytes); },
           .ended =
               [this](streams::id id) {
                   const auto it = all_.find(id);
                   if (it != all_.end()) perform(id, it->second.session.lost(reason::broken));
               }},
          {}) {
    look_after_all();
}

void jobs_channels::look_after_all() {
    deps_.host.clock().call_after(look_interval, [this] {
        std::vector<streams::id> ids;
        for (const auto& [which, one] : all_) ids.push_back(which);
        for (const auto which : ids) {
            const auto it = all_.find(which);
            if (it == all_.end()) continue;
            perform(which, it->second.session.expire(now()));
            const auto still = all_.find(which);
            if (still == all_.end() || !still->second.session.attached()) continue;
            auto judged = session::reconsider(deps_.known.look_up(still->second.print).now, pauses);
            if (judged) let_go(which, *std::move(judged));
        }
        look_after_all();
    });
}

void jobs_channels::received(streams::id id, std::string_view bytes) {
    auto it = all_.find(id);
    if (it == all_.end()) return;
    it->second.frames.feed(bytes);
    while (it != all_.end()) {
        const auto next = it->second.frames.next();
        if (!next) return perform(id, it->second.session.malformed());
        if (!*next) return;
        take(id, **next);
        it = all_.find(id);
    }
}

void jobs_channels::take(streams::id id, const Frame& frame) {
    channel& channel = all_.at(id);
    switch (frame.kind_case()) {
        case Frame::kHello:
            return take_hello(id, frame.hello());
        case Frame::kBeat:
            return perform(
                id, channel.session.beat(frame.beat().sequence(), deps_.known.fenced(), now()));
        case Frame::kTasksHeld:
        case Frame::kReports:
        case Frame::kPayloadPart:
            perform(id, channel.session.other_frame(now()));
            return take_of_tasks(id, frame);
        default:
            return perform(id, channel.session.malformed());
    }
}

void jobs_channels::take_hello(streams::id id, const muster::agent_protocol::Hello& hello) {
    channel& channel = all_.at(id);
    const auto print = fingerprint::parse(hello.proof());
    if (!print || channel.session.attached()) return perform(id, channel.session.malformed());
    channel.print = *print;
    const auto match = deps_.known.look_up(*print);
    const auto judged = session::judge(match.now, pauses);
    channel.system = match.now.number;
    perform(id, channel.session.hello(judged, now()));
    if (!std::holds_alternative<session::welcome>(judged)) return;
    channel.present = true;
    const auto before = holders_.find(channel.system);
    const auto replaced = before == holders_.end() ? streams::id(0) : before->second;
    holders_[channel.system] = id;
    if (replaced != 0) let_go(replaced, {.why = reason::replaced, .address = {}});
}

void jobs_channels::take_of_tasks(streams::id id, const Frame& frame) {
    if (options_ == habit::hasty && frame.has_reports()) return acknowledge_at_once(id, frame);
    hand_on(id, frame);
}

void jobs_channels::hand_on(streams::id id, const Frame& frame) {
    const auto it = all_.find(id);
    if (it == all_.end() || !it->second.session.attached()) return;
    deps_.tasks.push(
        dispatch::agent_message{
            .system = it->second.system, .over = channel_of(id), .frame = frame},
        frame.ByteSizeLong());
}

void jobs_channels::acknowledge_at_once(streams::id id, const Frame& frame) {
    Frame answer;
    for (const auto& report : frame.reports().reports())
        *answer.mutable_reports_taken()->add_tasks() = report.task();
    write(id, answer);
    deps_.host.clock().call_after(hasty_delay, [this, id, frame] { hand_on(id, frame); });
}

void jobs_channels::let_go(streams::id id, session::refusal why) {
    const auto it = all_.find(id);
    if (it != all_.end()) perform(id, it->second.session.let_go(std::move(why)));
}

void jobs_channels::perform(streams::id id, const session::node_effects& node_effects) {
    for (const auto& node_effect : node_effects) {
        if (const auto* beat = std::get_if<session::send_beat>(&node_effect)) {
            write(id, node::beat_frame(*beat));
        } else if (const auto* welcome = std::get_if<session::send_welcome>(&node_effect)) {
            write(id, node::welcome_frame(welcome->what, terms, deps_.known.name()));
        } else if (const auto* refusal = std::get_if<session::send_refusal>(&node_effect)) {
            write(id, node::refusal_frame(refusal->what));
        } else if (const auto* goodbye = std::get_if<session::send_detach>(&node_effect)) {
            write(id, node::goodbye_frame(goodbye->what));
        } else {
            hung_up(id);
        }
    }
}

void jobs_channels::hung_up(streams::id id) {
    const auto gone = all_.extract(id);
    links_.close(id);
    if (gone.empty() || !gone.mapped().present) return;
    const auto system = gone.mapped().system;
    deps_.tasks.push(dispatch::agent_detached{.system = system, .over = channel_of(id)}, 0);
    const auto holder = holders_.find(system);
    if (holder != holders_.end() && holder->second == id) holders_.erase(holder);
}

void jobs_channels::send(std::vector<dispatch::outgoing> frames) {
    for (const auto& frame : frames) {
        const auto it = all_.find(frame.to.number);
        if (it == all_.end() || !it->second.session.attached()) continue;
        if (frame.frame.has_task()) note_grant(it->second, frame.frame.task());
        write(frame.to.number, frame.frame);
    }
}

void jobs_channels::note_grant(const channel& to, const muster::agent_protocol::Task& task) {
    deps_.rules.granted(
        {.job = job_id(task.job()), .system = to.system, .attempt = task.attempt()},
        deps_.kinds.at(kind_named_in(task.arguments())),
        deps_.host.clock().wall());
}

void jobs_channels::write(streams::id id, const Frame& frame) {
    links_.send(id, muster::agent_protocol::encode(frame));
}

}  // namespace muster::sim
