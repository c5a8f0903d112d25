#include "core/session/agent_session.h"

#include <algorithm>
#include <utility>

namespace muster::session {

agent_session_effects agent_session::open() {
    return {send_hello{}};
}

agent_session_effects agent_session::end(disconnect effect) {
    if (stage_ == stage::ended) return {};
    stage_ = stage::ended;
    return {std::move(effect)};
}

agent_session_effects agent_session::on_welcome(const heartbeat_options& requested, instant now) {
    if (stage_ != stage::awaiting_welcome) return on_malformed();
    heartbeat_.interval =
        std::clamp(requested.interval, options_.heartbeat_min, options_.heartbeat_max);
    // One lost heartbeat must not end the connection.
    heartbeat_.timeout = std::max(requested.timeout, heartbeat_.interval * 2);
    stage_ = stage::attached;
    next_heartbeat_ = now + heartbeat_.interval;
    timeout_at_ = now + heartbeat_.timeout;
    return {};
}

agent_session_effects agent_session::on_dismissed(disconnect effect) {
    return end(std::move(effect));
}

agent_session_effects agent_session::on_heartbeat(bool fenced, instant now) {
    auto out = on_frame(now);
    if (heartbeat_sent_) quality_.add(now - *std::exchange(heartbeat_sent_, std::nullopt));
    if (out.empty() && fenced && is_attached()) out.emplace_back(node_fenced{});
    return out;
}

agent_session_effects agent_session::on_frame(instant now) {
    if (stage_ == stage::awaiting_welcome) return on_malformed();
    timeout_at_ = now + heartbeat_.timeout;
    return {};
}

void agent_session::on_bytes(instant now) {
    if (is_attached()) timeout_at_ = now + heartbeat_.timeout;
}

agent_session_effects agent_session::on_malformed() {
    return end({.why = reason::malformed});
}

agent_session_effects agent_session::on_connection_lost(reason reason) {
    return end({.why = reason});
}

agent_session_effects agent_session::expire(instant now) {
    if (stage_ == stage::ended) return {};
    if (now >= timeout_at_) return end({.why = reason::silent});
    if (stage_ != stage::attached || now < next_heartbeat_) return {};
    // Counts from now: an agent that was suspended does not send missed heartbeats.
    next_heartbeat_ = now + heartbeat_.interval;
    heartbeat_sent_ = now;
    return {send_heartbeat{++sequence_}};
}

instant agent_session::deadline() const {
    if (stage_ == stage::ended) return instant::max();
    return stage_ == stage::attached ? std::min(next_heartbeat_, timeout_at_) : timeout_at_;
}

}  // namespace muster::session
