#include "core/session/agent_facts.h"

#include <utility>

namespace muster::session {

std::optional<facts_message> agent_facts::surveyed(digested_facts present) {
    present_ = std::move(present);
    return next();
}

std::optional<facts_message> agent_facts::attached(bool desired) {
    attached_ = true;
    under_way_.reset();
    all_wanted_ = desired || taken_.digest.empty();
    return next();
}

void agent_facts::channel_lost() {
    attached_ = false;
    under_way_.reset();
}

std::optional<facts_message> agent_facts::next() {
    if (!attached_ || !present_ || under_way_) return std::nullopt;
    if (!all_wanted_ && present_->digest == taken_.digest) return std::nullopt;
    under_way_ = present_;
    facts_message out{.whole = all_wanted_, .base = {}, .digest = present_->digest, .change = {}};
    if (all_wanted_) {
        out.change.set = present_->all;
    } else {
        out.base = taken_.digest;
        out.change = difference(taken_.all, present_->all);
    }
    return out;
}

agent_facts::answer agent_facts::answered(const std::string& digest, bool desired) {
    if (desired) {  // also unasked: a node may find out later that it does not have them
        under_way_.reset();
        all_wanted_ = true;
        return {.newly_taken = false, .next = next()};
    }
    if (!under_way_) return {};  // to an earlier channel's question
    if (digest != under_way_->digest) return {};
    taken_ = *std::exchange(under_way_, std::nullopt);
    all_wanted_ = false;
    return {.newly_taken = true, .next = next()};
}

}  // namespace muster::session
