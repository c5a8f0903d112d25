#include "core/session/node_session.h"

#include <utility>

namespace muster::session {

node_effects node_session::end(reason why) {
    if (ended()) return {};
    stage_ = stage::ended;
    deadline_ = instant::max();
    return {close_connection{why}};
}

node_effects node_session::hello(const attach_decision& about, instant now) {
    if (stage_ != stage::awaiting_hello) return malformed();
    if (const auto* refused = std::get_if<refusal>(&about)) {
        auto last = end(refused->why);
        return {send_refusal{*refused}, std::move(last.front())};
    }
    stage_ = stage::attached;
    heard(now);
    return {send_welcome{std::get<welcome>(about)}};
}

node_effects node_session::hello_unproven() {
    if (stage_ != stage::awaiting_hello) return malformed();
    auto last = end(reason::denied);
    return {send_refusal{refusal{.why = reason::denied}}, std::move(last.front())};
}

node_effects node_session::beat(std::uint64_t sequence, bool fenced, instant now) {
    if (!attached()) return malformed();
    heard(now);
    return {send_beat{.sequence = sequence, .fenced = fenced}};
}

node_effects node_session::other_frame(instant now) {
    if (!attached()) return malformed();
    heard(now);
    return {};
}

node_effects node_session::malformed() {
    return end(reason::malformed);
}

node_effects node_session::let_go(refusal why) {
    if (!attached()) return end(why.why);
    auto last = end(why.why);
    return {send_detach{std::move(why)}, std::move(last.front())};
}

node_effects node_session::lost(reason reason) {
    return end(reason);
}

node_effects node_session::expire(instant now) {
    if (now < deadline_) return {};
    return end(reason::silent);
}

}  // namespace muster::session
