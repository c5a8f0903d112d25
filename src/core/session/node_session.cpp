#include "core/session/node_session.h"

#include <utility>

namespace muster::session {

node_effects node_session::end(reason why) {
    if (is_ended()) return {};
    stage_ = stage::ended;
    deadline_ = instant::max();
    return {close_connection{why}};
}

node_effects node_session::on_hello(const attach_decision& decision, instant now) {
    if (stage_ != stage::awaiting_hello) return on_malformed();
    if (const auto* refused = std::get_if<refusal>(&decision)) {
        auto closing = end(refused->why);
        return {send_refusal{*refused}, std::move(closing.front())};
    }
    stage_ = stage::attached;
    extend_deadline(now);
    return {send_welcome{std::get<welcome>(decision)}};
}

node_effects node_session::on_unproven_hello() {
    if (stage_ != stage::awaiting_hello) return on_malformed();
    auto closing = end(reason::denied);
    return {send_refusal{refusal{.why = reason::denied}}, std::move(closing.front())};
}

node_effects node_session::on_heartbeat(std::uint64_t sequence, bool fenced, instant now) {
    if (!is_attached()) return on_malformed();
    extend_deadline(now);
    return {send_heartbeat_reply{.sequence = sequence, .fenced = fenced}};
}

node_effects node_session::on_frame(instant now) {
    if (!is_attached()) return on_malformed();
    extend_deadline(now);
    return {};
}

node_effects node_session::on_malformed() {
    return end(reason::malformed);
}

node_effects node_session::detach(refusal refusal) {
    if (!is_attached()) return end(refusal.why);
    auto closing = end(refusal.why);
    return {send_detach{std::move(refusal)}, std::move(closing.front())};
}

node_effects node_session::on_connection_lost(reason reason) {
    return end(reason);
}

node_effects node_session::expire(instant now) {
    if (now < deadline_) return {};
    return end(reason::silent);
}

}  // namespace muster::session
