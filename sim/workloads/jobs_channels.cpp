#include "sim/workloads/jobs_channels.h"

#include "roles/node/connections/frames.h"

#include <utility>

namespace muster::sim {

namespace {

using namespace std::chrono_literals;
using muster::agent_protocol::Frame;
using session::reason;

constexpr session::node_session_options session_options{
    .heartbeat_interval = 2s, .heartbeat_timeout = 6s, .hello_timeout = 4s};
constexpr session::retry_delays attach_retry_delays{
    .busy = 1s, .orphan = 1s, .stopping = 1s, .fresh = 1s};
constexpr auto check_interval = 500ms;
constexpr auto early_acknowledgement_delay = 1s;

dispatch::connection_id channel_of(streams::id id) {
    return {.loop = 0, .number = id};
}

}  // namespace

jobs_channels::jobs_channels(dependencies deps, injected_bug injected_bug)
    : deps_(deps),
      injected_bug_(injected_bug),
      links_(
          deps.cluster,
          deps.host,
          {.opened =
               [this](streams::id id) {
                   channels_.emplace(
                       id,
                       channel{
                           .session = session::node_session(session_options, now()),
                           .frames = muster::agent_protocol::frame_reader(),
                           .print = fingerprint(fingerprint::bytes_type{}),
                           .system = {}});
               },
           .received = [this](streams::id id, std::string_view bytes) { received(id, bytes); },
           .ended =
               [this](streams::id id) {
                   const auto it = channels_.find(id);
                   if (it != channels_.end())
                       execute(id, it->second.session.on_connection_lost(reason::broken));
               }},
          {}) {
    check_channels_later();
}

void jobs_channels::check_channels_later() {
    deps_.host.clock().call_after(check_interval, [this] {
        std::vector<streams::id> ids;
        for (const auto& [id, channel] : channels_) ids.push_back(id);
        for (const auto id : ids) {
            const auto it = channels_.find(id);
            if (it == channels_.end()) continue;
            execute(id, it->second.session.expire(now()));
            const auto current = channels_.find(id);
            if (current == channels_.end() || !current->second.session.is_attached()) continue;
            auto refusal = session::reconsider(
                deps_.locator.find(current->second.print).context, attach_retry_delays);
            if (refusal) detach_channel(id, *std::move(refusal));
        }
        check_channels_later();
    });
}

void jobs_channels::received(streams::id id, std::string_view bytes) {
    auto it = channels_.find(id);
    if (it == channels_.end()) return;
    it->second.frames.feed(bytes);
    while (it != channels_.end()) {
        const auto next = it->second.frames.next();
        if (!next) return execute(id, it->second.session.on_malformed());
        if (!*next) return;
        handle_frame(id, **next);
        it = channels_.find(id);
    }
}

void jobs_channels::handle_frame(streams::id id, const Frame& frame) {
    channel& channel = channels_.at(id);
    switch (frame.kind_case()) {
        case Frame::kHello:
            return handle_hello(id, frame.hello());
        case Frame::kBeat:
            return execute(
                id,
                channel.session.on_heartbeat(
                    frame.beat().sequence(), deps_.locator.is_fenced(), now()));
        case Frame::kTasksHeld:
        case Frame::kReports:
        case Frame::kPayloadPart:
            execute(id, channel.session.on_frame(now()));
            return handle_task_frame(id, frame);
        default:
            return execute(id, channel.session.on_malformed());
    }
}

void jobs_channels::handle_hello(streams::id id, const muster::agent_protocol::Hello& hello) {
    channel& channel = channels_.at(id);
    const auto print = fingerprint::parse(hello.proof());
    if (!print || channel.session.is_attached()) return execute(id, channel.session.on_malformed());
    channel.print = *print;
    const auto located = deps_.locator.find(*print);
    const auto decision = session::decide_attach(located.context, attach_retry_delays);
    channel.system = located.context.number;
    execute(id, channel.session.on_hello(decision, now()));
    if (!std::holds_alternative<session::welcome>(decision)) return;
    channel.was_attached = true;
    const auto previous = holders_.find(channel.system);
    const auto replaced = previous == holders_.end() ? streams::id(0) : previous->second;
    holders_[channel.system] = id;
    if (replaced != 0) detach_channel(replaced, {.why = reason::replaced, .address = {}});
}

void jobs_channels::handle_task_frame(streams::id id, const Frame& frame) {
    if (injected_bug_ == injected_bug::early_acknowledgement && frame.has_reports())
        return acknowledge_at_once(id, frame);
    push_to_inbox(id, frame);
}

void jobs_channels::push_to_inbox(streams::id id, const Frame& frame) {
    const auto it = channels_.find(id);
    if (it == channels_.end() || !it->second.session.is_attached()) return;
    deps_.tasks.push(
        dispatch::agent_message{
            .system = it->second.system, .connection = channel_of(id), .frame = frame},
        frame.ByteSizeLong());
}

void jobs_channels::acknowledge_at_once(streams::id id, const Frame& frame) {
    Frame answer;
    for (const auto& report : frame.reports().reports())
        *answer.mutable_reports_taken()->add_tasks() = report.task();
    write(id, answer);
    deps_.host.clock().call_after(
        early_acknowledgement_delay, [this, id, frame] { push_to_inbox(id, frame); });
}

void jobs_channels::detach_channel(streams::id id, session::refusal refusal) {
    const auto it = channels_.find(id);
    if (it != channels_.end()) execute(id, it->second.session.detach(std::move(refusal)));
}

void jobs_channels::execute(streams::id id, const session::node_effects& node_effects) {
    for (const auto& node_effect : node_effects) {
        if (const auto* beat = std::get_if<session::send_heartbeat_reply>(&node_effect)) {
            write(id, node::beat_frame(*beat));
        } else if (const auto* welcome = std::get_if<session::send_welcome>(&node_effect)) {
            write(id, node::welcome_frame(welcome->message, session_options, deps_.locator.name()));
        } else if (const auto* refusal = std::get_if<session::send_refusal>(&node_effect)) {
            write(id, node::refusal_frame(refusal->message));
        } else if (const auto* goodbye = std::get_if<session::send_detach>(&node_effect)) {
            write(id, node::goodbye_frame(goodbye->message));
        } else {
            on_disconnected(id);
        }
    }
}

void jobs_channels::on_disconnected(streams::id id) {
    const auto ended = channels_.extract(id);
    links_.close(id);
    if (ended.empty() || !ended.mapped().was_attached) return;
    const auto system = ended.mapped().system;
    deps_.tasks.push(dispatch::agent_detached{.system = system, .connection = channel_of(id)}, 0);
    const auto holder = holders_.find(system);
    if (holder != holders_.end() && holder->second == id) holders_.erase(holder);
}

void jobs_channels::send(std::vector<dispatch::outgoing> frames) {
    for (const auto& frame : frames) {
        const auto it = channels_.find(frame.to.number);
        if (it == channels_.end() || !it->second.session.is_attached()) continue;
        if (frame.frame.has_task()) record_grant(it->second, frame.frame.task());
        write(frame.to.number, frame.frame);
    }
}

void jobs_channels::record_grant(const channel& channel, const muster::agent_protocol::Task& task) {
    deps_.invariants.granted(
        {.job = job_id(task.job()), .system = channel.system, .attempt = task.attempt()},
        deps_.kinds.at(kind_named_in(task.arguments())),
        deps_.host.clock().wall());
}

void jobs_channels::write(streams::id id, const Frame& frame) {
    links_.send(id, muster::agent_protocol::encode(frame));
}

}  // namespace muster::sim
