#include "core/session/agent_facts.h"

#include <utility>

namespace muster::session {

std::optional<facts_message> agent_facts::on_collected(digested_facts present) {
    present_ = std::move(present);
    return next_message();
}

std::optional<facts_message> agent_facts::on_attached(bool send_all) {
    attached_ = true;
    in_flight_.reset();
    send_all_ = send_all || acknowledged_.digest.empty();
    return next_message();
}

void agent_facts::on_detached() {
    attached_ = false;
    in_flight_.reset();
}

std::optional<facts_message> agent_facts::next_message() {
    if (!attached_ || !present_ || in_flight_) return std::nullopt;
    if (!send_all_ && present_->digest == acknowledged_.digest) return std::nullopt;
    in_flight_ = present_;
    facts_message message{
        .complete = send_all_, .base = {}, .digest = present_->digest, .change = {}};
    if (send_all_) {
        message.change.set = present_->all;
    } else {
        message.base = acknowledged_.digest;
        message.change = difference(acknowledged_.all, present_->all);
    }
    return message;
}

agent_facts::response agent_facts::on_response(const std::string& digest, bool send_all) {
    if (send_all) {  // can come unasked: a node may notice later that facts are missing
        in_flight_.reset();
        send_all_ = true;
        return {.newly_acknowledged = false, .next = next_message()};
    }
    if (!in_flight_) return {};  // response on an earlier connection
    if (digest != in_flight_->digest) return {};
    acknowledged_ = *std::exchange(in_flight_, std::nullopt);
    send_all_ = false;
    return {.newly_acknowledged = true, .next = next_message()};
}

}  // namespace muster::session
