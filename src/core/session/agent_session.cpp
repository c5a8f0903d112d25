#include "core/session/agent_session.h"

#include <algorithm>
#include <utility>

namespace muster::session {

agent_session_effects agent_session::open() {
    return {send_hello{}};
}

agent_session_effects agent_session::end(channel_over channel_over) {
    if (stage_ == stage::ended) return {};
    stage_ = stage::ended;
    return {std::move(channel_over)};
}

agent_session_effects agent_session::welcomed(const channel_terms& agreed, instant now) {
    if (stage_ != stage::awaiting_welcome) return malformed();
    agreed_.heartbeat = std::clamp(agreed.heartbeat, terms_.heartbeat_min, terms_.heartbeat_max);
    // One lost beat must not end a channel.
    agreed_.silence = std::max(agreed.silence, agreed_.heartbeat * 2);
    stage_ = stage::attached;
    next_beat_ = now + agreed_.heartbeat;
    give_up_ = now + agreed_.silence;
    return {};
}

agent_session_effects agent_session::dismissed(channel_over channel_over) {
    return end(std::move(channel_over));
}

agent_session_effects agent_session::beat(bool fenced, instant now) {
    auto out = other_frame(now);
    if (beat_sent_) quality_.took(now - *std::exchange(beat_sent_, std::nullopt));
    if (out.empty() && fenced && attached()) out.emplace_back(node_fenced{});
    return out;
}

agent_session_effects agent_session::other_frame(instant now) {
    if (stage_ == stage::awaiting_welcome) return malformed();
    give_up_ = now + agreed_.silence;
    return {};
}

void agent_session::bytes_moved(instant now) {
    if (attached()) give_up_ = now + agreed_.silence;
}

agent_session_effects agent_session::malformed() {
    return end({.why = reason::malformed});
}

agent_session_effects agent_session::lost(reason reason) {
    return end({.why = reason});
}

agent_session_effects agent_session::expire(instant now) {
    if (stage_ == stage::ended) return {};
    if (now >= give_up_) return end({.why = reason::silent});
    if (stage_ != stage::attached || now < next_beat_) return {};
    // Counted from now: an agent that was stopped for a while does not send what it missed.
    next_beat_ = now + agreed_.heartbeat;
    beat_sent_ = now;
    return {send_heartbeat{++sequence_}};
}

instant agent_session::deadline() const {
    if (stage_ == stage::ended) return instant::max();
    return stage_ == stage::attached ? std::min(next_beat_, give_up_) : give_up_;
}

}  // namespace muster::session
