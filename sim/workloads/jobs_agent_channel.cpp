#include "sim/workloads/jobs_agent_channel.h"

#include <algorithm>
#include <utility>

namespace muster::sim {

namespace {

using namespace std::chrono_literals;
using muster::agent_protocol::Frame;
using session::reason;

constexpr session::agent_terms terms{.welcome_time = 4s};
constexpr auto clock_interval = 500ms;
constexpr auto pause_min = 100ms;
constexpr std::uint64_t pause_spread_ms = 900;

template <class Message>
session::channel_over ending_of(const Message& message) {
    return {
        .why = static_cast<reason>(message.reason()),
        .address = message.address(),
        .retry_after = std::chrono::milliseconds(message.retry_after_ms())};
}

}  // namespace

agent_channel::agent_channel(cluster& stage, process& host, options options, callbacks callbacks)
    : stage_(stage),
      host_(host),
      options_(std::move(options)),
      told_(std::move(callbacks)),
      links_(
          stage,
          host,
          {.opened = [](streams::id) {},
           .received =
               [this](streams::id id, std::string_view bytes) {
                   if (id == link_) received(bytes);
               },
           .ended =
               [this](streams::id id) {
                   if (id == link_ && session_) perform(session_->lost(reason::broken));
               }},
          {}),
      random_(stage.world.random("channel of " + host.name())) {
    keep_time();
}

void agent_channel::connect() {
    const auto& any = options_.servers[random_.below(options_.servers.size())];
    const auto to = next_server_.empty() ? any : std::exchange(next_server_, {});
    frames_ = muster::agent_protocol::frame_reader();
    session_.emplace(terms, now());
    link_ = links_.open(stage_.address_of(to));
    perform(session_->open());
}

void agent_channel::connect_later(monotonic::duration pause) {
    const auto more = std::chrono::milliseconds(random_.below(pause_spread_ms));
    host_.clock().call_after(std::max<monotonic::duration>(pause, pause_min) + more, [this] {
        if (!session_) connect();
    });
}

void agent_channel::keep_time() {
    host_.clock().call_after(clock_interval, [this] {
        if (session_) perform(session_->expire(now()));
        keep_time();
    });
}

void agent_channel::cut() {
    if (!session_) return;
    links_.drop(link_);
    perform(session_->lost(reason::broken));
}

void agent_channel::send(const Frame& frame) {
    if (session_ && session_->attached()) links_.send(link_, muster::agent_protocol::encode(frame));
}

void agent_channel::received(std::string_view bytes) {
    frames_.feed(bytes);
    while (session_) {
        const auto next = frames_.next();
        if (!next) return perform(session_->malformed());
        if (!*next) return;
        take(**next);
    }
}

void agent_channel::take(const Frame& frame) {
    switch (frame.kind_case()) {
        case Frame::kWelcome: {
            const session::channel_terms agreed{
                .heartbeat = std::chrono::milliseconds(frame.welcome().heartbeat_ms()),
                .silence = std::chrono::milliseconds(frame.welcome().silence_ms())};
            perform(session_->welcomed(agreed, now()));
            if (session_ && session_->attached()) told_.attached();
            return;
        }
        case Frame::kRefusal:
            return perform(session_->dismissed(ending_of(frame.refusal())));
        case Frame::kGoodbye:
            return perform(session_->dismissed(ending_of(frame.goodbye())));
        case Frame::kBeat:
            return perform(session_->beat(frame.beat().fenced(), now()));
        default:
            perform(session_->other_frame(now()));
            if (session_ && session_->attached()) told_.took(frame);
    }
}

void agent_channel::perform(const effects& effects) {
    for (const auto& effect : effects)
        std::visit([this](const auto& one) { perform_one(one); }, effect);
}

void agent_channel::perform_one(const session::send_hello& /*what*/) {
    Frame frame;
    frame.mutable_hello()->set_proof(options_.print.str());
    links_.send(link_, muster::agent_protocol::encode(frame));
}

void agent_channel::perform_one(const session::send_heartbeat& send_heartbeat) {
    Frame frame;
    frame.mutable_beat()->set_sequence(send_heartbeat.sequence);
    links_.send(link_, muster::agent_protocol::encode(frame));
}

// Perhaps another one serves us by now: whoever is asked knows.
void agent_channel::perform_one(const session::node_fenced& /*what*/) {
    links_.close(link_);
    perform(session_->lost(reason::closed));
}

void agent_channel::perform_one(const session::channel_over& channel_over) {
    links_.close(link_);
    session_.reset();
    if (channel_over.why == reason::moved)
        next_server_ = channel_over.address.substr(0, channel_over.address.find(':'));
    told_.lost();
    connect_later(channel_over.retry_after);
}

}  // namespace muster::sim
