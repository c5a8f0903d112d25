#include "roles/node/connections/channel_loop.h"

#include "roles/node/connections/frames.h"

#include <algorithm>
#include <vector>

namespace muster::node {

std::uint64_t channel_loop::enter(channel& one) {
    channels_.emplace(++last_number_, &one);
    in_turn_.push_back(one);
    return last_number_;
}

void channel_loop::leave(std::uint64_t number) {
    channels_.erase(number);
    owing_.erase(number);
}

channel* channel_loop::find(std::uint64_t number) const {
    const auto found = channels_.find(number);
    return found == channels_.end() ? nullptr : found->second;
}

void channel_loop::sweep(instant now) {
    deadlines_.sweep(now);
    let_go_of_the_moved();
    look_again();
    ask_for_owed_facts();
}

void channel_loop::let_go_of_all(const session::refusal& why) {
    for (auto& one : in_turn_)
        if (one.attached()) one.let_go(why);
}

// At most some of them at a time: the next sweep goes on.
void channel_loop::let_go_of_the_moved() {
    const auto known = all_.known.topology().read();
    if (known == swept_for_) return;
    std::size_t gone = 0;
    for (auto& one : in_turn_) {
        if (!one.attached()) continue;
        session::circumstances now{.stage = enrolment::accepted};
        now.place = all_.known.place_of(*known, one.zone(), one.where());
        auto why = session::reconsider(now, all_.how.waits);
        if (!why) continue;
        if (gone++ == all_.how.let_go_a_sweep) return;
        one.let_go(*std::move(why));
    }
    swept_for_ = known;
}

void channel_loop::look_again() {
    const auto count = std::min(all_.how.looked_at_a_sweep, channels_.size());
    for (std::size_t looked = 0; looked < count; ++looked) {
        channel& one = in_turn_.front();
        in_turn_.splice(in_turn_.end(), in_turn_, in_turn_.begin());
        if (!one.attached()) continue;
        // Slots that moved are let go at their own pace.
        auto found = all_.known.look_up(one.print());
        if (found.zone == one.zone()) found.now.place = {.is_us = true};
        if (auto why = session::reconsider(found.now, all_.how.waits)) one.let_go(*std::move(why));
    }
}

void channel_loop::ask_for_owed_facts() {
    for (std::size_t asked = 0; asked < all_.how.let_go_a_sweep && !owing_.empty(); ++asked) {
        if (all_.facts.full()) return;
        channel* const one = find(*owing_.begin());
        owing_.erase(owing_.begin());
        if (one != nullptr && one->attached()) one->ask_for_facts();
    }
}

}  // namespace muster::node
