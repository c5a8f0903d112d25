#include "roles/node/connections/agent_connection_loop.h"

#include "roles/node/connections/frames.h"

#include <algorithm>
#include <vector>

namespace muster::node {

std::uint64_t agent_connection_loop::enter(agent_connection& agent_connection) {
    channels_.emplace(++last_number_, &agent_connection);
    in_turn_.push_back(agent_connection);
    return last_number_;
}

void agent_connection_loop::leave(std::uint64_t number) {
    channels_.erase(number);
    owing_.erase(number);
}

agent_connection* agent_connection_loop::find(std::uint64_t number) const {
    const auto it = channels_.find(number);
    return it == channels_.end() ? nullptr : it->second;
}

void agent_connection_loop::sweep(instant now) {
    deadlines_.sweep(now);
    let_go_of_the_moved();
    look_again();
    ask_for_owed_facts();
}

void agent_connection_loop::let_go_of_all(const session::refusal& why) {
    for (auto& one : in_turn_)
        if (one.attached()) one.let_go(why);
}

// At most some of them at a time: the next sweep goes on.
void agent_connection_loop::let_go_of_the_moved() {
    const auto existing = all_.known.topology().read();
    if (existing == swept_for_) return;
    std::size_t gone = 0;
    for (auto& one : in_turn_) {
        if (!one.attached()) continue;
        session::attach_context now{.stage = enrolment::accepted};
        now.place = all_.known.place_of(*existing, one.zone(), one.where());
        auto why = session::reconsider(now, all_.how.waits);
        if (!why) continue;
        if (gone++ == all_.how.let_go_a_sweep) return;
        one.let_go(*std::move(why));
    }
    swept_for_ = existing;
}

void agent_connection_loop::look_again() {
    const auto count = std::min(all_.how.looked_at_a_sweep, channels_.size());
    for (std::size_t looked = 0; looked < count; ++looked) {
        agent_connection& agent_connection = in_turn_.front();
        in_turn_.splice(in_turn_.end(), in_turn_, in_turn_.begin());
        if (!agent_connection.attached()) continue;
        // Slots that moved are let go at their own pace.
        auto match = all_.known.look_up(agent_connection.print());
        if (match.zone == agent_connection.zone()) match.now.place = {.is_us = true};
        if (auto why = session::reconsider(match.now, all_.how.waits))
            agent_connection.let_go(*std::move(why));
    }
}

void agent_connection_loop::ask_for_owed_facts() {
    for (std::size_t requested = 0; requested < all_.how.let_go_a_sweep && !owing_.empty();
         ++requested) {
        if (all_.facts.full()) return;
        agent_connection* const one = find(*owing_.begin());
        owing_.erase(owing_.begin());
        if (one != nullptr && one->attached()) one->ask_for_facts();
    }
}

}  // namespace muster::node
