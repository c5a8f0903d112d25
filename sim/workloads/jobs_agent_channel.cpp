#include "sim/workloads/jobs_agent_channel.h"

#include <algorithm>
#include <utility>

namespace muster::sim {

namespace {

using namespace std::chrono_literals;
using muster::agent_protocol::Frame;
using session::reason;

constexpr session::agent_session_options session_options{.welcome_timeout = 4s};
constexpr auto clock_interval = 500ms;
constexpr auto pause_min = 100ms;
constexpr std::uint64_t pause_spread_ms = 900;

template <class Message>
session::disconnect to_disconnect(const Message& message) {
    return {
        .why = static_cast<reason>(message.reason()),
        .address = message.address(),
        .retry_after = std::chrono::milliseconds(message.retry_after_ms())};
}

}  // namespace

agent_channel::agent_channel(
    sim::cluster& cluster, process& host, options options, callbacks callbacks)
    : cluster_(cluster),
      host_(host),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      links_(
          cluster,
          host,
          {.opened = [](streams::id) {},
           .received =
               [this](streams::id id, std::string_view bytes) {
                   if (id == link_) received(bytes);
               },
           .ended =
               [this](streams::id id) {
                   if (id == link_ && session_)
                       execute(session_->on_connection_lost(reason::broken));
               }},
          {}),
      random_(cluster.simulation.random("channel of " + host.name())) {
    expire_later();
}

void agent_channel::connect() {
    const auto& random_server = options_.servers[random_.below(options_.servers.size())];
    const auto server = next_server_.empty() ? random_server : std::exchange(next_server_, {});
    frames_ = muster::agent_protocol::frame_reader();
    session_.emplace(session_options, now());
    link_ = links_.open(cluster_.address_of(server));
    execute(session_->open());
}

void agent_channel::connect_later(monotonic::duration pause) {
    const auto jitter = std::chrono::milliseconds(random_.below(pause_spread_ms));
    host_.clock().call_after(std::max<monotonic::duration>(pause, pause_min) + jitter, [this] {
        if (!session_) connect();
    });
}

void agent_channel::expire_later() {
    host_.clock().call_after(clock_interval, [this] {
        if (session_) execute(session_->expire(now()));
        expire_later();
    });
}

void agent_channel::cut() {
    if (!session_) return;
    links_.drop(link_);
    execute(session_->on_connection_lost(reason::broken));
}

void agent_channel::send(const Frame& frame) {
    if (session_ && session_->is_attached())
        links_.send(link_, muster::agent_protocol::encode(frame));
}

void agent_channel::received(std::string_view bytes) {
    frames_.feed(bytes);
    while (session_) {
        const auto next = frames_.next();
        if (!next) return execute(session_->on_malformed());
        if (!*next) return;
        handle_frame(**next);
    }
}

void agent_channel::handle_frame(const Frame& frame) {
    switch (frame.kind_case()) {
        case Frame::kWelcome: {
            const session::heartbeat_options agreed{
                .interval = std::chrono::milliseconds(frame.welcome().heartbeat_ms()),
                .timeout = std::chrono::milliseconds(frame.welcome().silence_ms())};
            execute(session_->on_welcome(agreed, now()));
            if (session_ && session_->is_attached()) callbacks_.attached();
            return;
        }
        case Frame::kRefusal:
            return execute(session_->on_dismissed(to_disconnect(frame.refusal())));
        case Frame::kGoodbye:
            return execute(session_->on_dismissed(to_disconnect(frame.goodbye())));
        case Frame::kBeat:
            return execute(session_->on_heartbeat(frame.beat().fenced(), now()));
        default:
            execute(session_->on_frame(now()));
            if (session_ && session_->is_attached()) callbacks_.task_frame(frame);
    }
}

void agent_channel::execute(const effects& effects) {
    for (const auto& effect : effects)
        std::visit([this](const auto& variant_effect) { execute_effect(variant_effect); }, effect);
}

void agent_channel::execute_effect(const session::send_hello& /*effect*/) {
    Frame frame;
    frame.mutable_hello()->set_proof(options_.print.str());
    links_.send(link_, muster::agent_protocol::encode(frame));
}

void agent_channel::execute_effect(const session::send_heartbeat& send_heartbeat) {
    Frame frame;
    frame.mutable_beat()->set_sequence(send_heartbeat.sequence);
    links_.send(link_, muster::agent_protocol::encode(frame));
}

// Another node may serve this system now; the next server asked will know.
void agent_channel::execute_effect(const session::node_fenced& /*effect*/) {
    links_.close(link_);
    execute(session_->on_connection_lost(reason::closed));
}

void agent_channel::execute_effect(const session::disconnect& disconnect) {
    links_.close(link_);
    session_.reset();
    if (disconnect.why == reason::moved)
        next_server_ = disconnect.address.substr(0, disconnect.address.find(':'));
    callbacks_.lost();
    connect_later(disconnect.retry_after);
}

}  // namespace muster::sim
