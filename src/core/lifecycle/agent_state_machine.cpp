#include "core/lifecycle/agent_state_machine.h"

#include "base/assert.h"

#include <algorithm>
#include <utility>

namespace muster::lifecycle {

using session::reason;

agent_state_machine::agent_state_machine(const agent_life_options& options, prng random)
    : options_(options), random_(random), pause_(options.pause, random_.fork()) {
    MUSTER_ASSERT(options.entries > 0);
    MUSTER_ASSERT(options.poll > monotonic::duration::zero());
    MUSTER_ASSERT(options.pause.first > monotonic::duration::zero());
}

agent_effects agent_state_machine::start(instant /*now*/) {
    MUSTER_ASSERT(std::holds_alternative<idle>(state_));
    return ask(request::status);
}

agent_effects agent_state_machine::ask(request what) {
    state_ = asking{what};
    switch (what) {
        case request::status:
            return {request_status{entry_}};
        case request::enrol:
            return {enrol{entry_}};
        case request::place:
            return {ask_place{entry_}};
    }
    MUSTER_ASSERT(false);
    return {};
}

agent_effects agent_state_machine::open(std::string address) {
    state_ = opening{address};
    return {open_channel{std::move(address)}};
}

agent_effects agent_state_machine::rest(
    monotonic::duration retry_after, std::variant<request, opening> then, instant now) {
    state_ = resting{.until = now + pause_for(retry_after), .then = std::move(then)};
    return {};
}

agent_effects agent_state_machine::end() {
    agent_effects out;
    if (attached()) out.emplace_back(close_channel{});
    enter(out, system_state::deleted);
    out.emplace_back(stop_for_ever{});
    state_ = over{};
    return out;
}

void agent_state_machine::enter(
    agent_effects& out, system_state state, const std::string& address) {
    const bool elsewhere = state == system_state::onboarded && address != place_;
    if (state == system_state::onboarded) place_ = address;
    if (entered_ == state && !elsewhere) return;
    entered_ = state;
    out.emplace_back(enter_state{.state = state, .address = address});
}

agent_effects agent_state_machine::told(system_state state, instant now) {
    const auto* under_way = std::get_if<asking>(&state_);
    const auto* channel = std::get_if<connected>(&state_);
    const bool looking = channel != nullptr && channel->looking;
    if (state == system_state::deleted && (under_way != nullptr || looking)) return end();
    if (under_way == nullptr || under_way->what == request::place) return {};
    if (state != system_state::fresh) return ask(request::place);
    const bool just_enrolled = under_way->what == request::enrol;
    pause_.reset();
    agent_effects out;
    enter(out, system_state::fresh);
    if (just_enrolled) enrolled_ = now;
    if (!enrolled_ || now - *enrolled_ >= options_.enrol_again) {
        for (auto& each : ask(request::enrol)) out.push_back(std::move(each));
        return out;
    }
    state_ = resting{.until = now + jittered(options_.poll), .then = request::status};
    return out;
}

agent_effects agent_state_machine::placed(std::string address, instant now) {
    if (auto* channel = std::get_if<connected>(&state_); channel != nullptr && channel->looking) {
        channel->looking = false;
        channel->look_not_before = now + options_.look_again;
        if (address == channel->address) return {};
        agent_effects out{close_channel{}};
        enter(out, system_state::orphan);
        for (auto& each : open(std::move(address))) out.push_back(std::move(each));
        return out;
    }
    const auto* under_way = std::get_if<asking>(&state_);
    if (under_way == nullptr || under_way->what != request::place) return {};
    moves_ = 0;
    agent_effects out;
    if (entered_ == system_state::onboarded && address != place_) enter(out, system_state::orphan);
    for (auto& each : open(std::move(address))) out.push_back(std::move(each));
    return out;
}

agent_effects agent_state_machine::unplaced(monotonic::duration retry_after, instant now) {
    if (auto* channel = std::get_if<connected>(&state_); channel != nullptr && channel->looking) {
        channel->looking = false;
        channel->look_not_before = now + std::max(options_.look_again, retry_after);
        return {};
    }
    const auto* under_way = std::get_if<asking>(&state_);
    if (under_way == nullptr || under_way->what != request::place) return {};
    agent_effects out;
    enter(out, system_state::orphan);
    rest(retry_after, request::place, now);
    return out;
}

agent_effects agent_state_machine::not_accepted(instant now) {
    agent_effects out;
    if (auto* channel = std::get_if<connected>(&state_); channel != nullptr && channel->looking) {
        out.emplace_back(close_channel{});
    } else if (const auto* under_way = std::get_if<asking>(&state_);
               under_way == nullptr || under_way->what != request::place) {
        return {};
    }
    rest({}, request::status, now);
    return out;
}

agent_effects agent_state_machine::failed(monotonic::duration retry_after, instant now) {
    if (auto* channel = std::get_if<connected>(&state_); channel != nullptr && channel->looking) {
        channel->looking = false;
        channel->look_not_before = now + std::max(options_.look_again, retry_after);
        entry_ = (entry_ + 1) % options_.entries;
        return {};
    }
    const auto* under_way = std::get_if<asking>(&state_);
    if (under_way == nullptr) return {};
    entry_ = (entry_ + 1) % options_.entries;
    if (under_way->what == request::place) return after_loss(place_, retry_after, now);
    return rest(retry_after, request::status, now);
}

agent_effects agent_state_machine::welcomed(instant now) {
    const auto* tried = std::get_if<opening>(&state_);
    if (tried == nullptr) return {};
    const std::string address = tried->address;
    state_ =
        connected{.address = address, .since = now, .look_not_before = now + options_.look_again};
    tried_place_ = false;
    agent_effects out;
    enter(out, system_state::onboarded, address);
    return out;
}

// The node may still be there when the entry is not, and the other way round: try both in turn.
agent_effects agent_state_machine::after_loss(
    const std::string& address, monotonic::duration pause, instant now) {
    if (address.empty() || std::exchange(tried_place_, !tried_place_))
        return rest(pause, request::place, now);
    return rest(pause, opening{address}, now);
}

agent_effects agent_state_machine::follow(
    const std::string& from, const channel_ending& channel_ending, instant now) {
    if (channel_ending.address.empty() || channel_ending.address == from
        || ++moves_ > options_.moves_max)
        return rest(channel_ending.retry_after, request::place, now);
    agent_effects out;
    if (entered_ == system_state::onboarded && channel_ending.address != place_)
        enter(out, system_state::orphan);
    for (auto& each : open(channel_ending.address)) out.push_back(std::move(each));
    return out;
}

agent_effects agent_state_machine::channel_ended(
    const channel_ending& channel_ending, instant now) {
    std::string address;
    if (const auto* channel = std::get_if<connected>(&state_)) {
        address = channel->address;
        if (now - channel->since >= options_.stable) {
            pause_.reset();
            moves_ = 0;
        }
    } else if (const auto* tried = std::get_if<opening>(&state_)) {
        address = tried->address;
    } else {
        return {};
    }
    switch (channel_ending.why) {
        case reason::moved:
            return follow(address, channel_ending, now);
        case reason::deleted:
            state_ = idle{};  // nothing to close any more
            return end();
        case reason::orphan: {
            agent_effects out;
            enter(out, system_state::orphan);
            rest(channel_ending.retry_after, request::place, now);
            return out;
        }
        case reason::fresh:
            enrolled_.reset();
            return rest(channel_ending.retry_after, request::status, now);
        case reason::denied:
        case reason::replaced:
        case reason::unknown:
            return rest(std::max(channel_ending.retry_after, options_.poll), request::status, now);
        case reason::stopping:
            return rest(channel_ending.retry_after, request::place, now);
        case reason::busy:
        case reason::closed:
        case reason::broken:
        case reason::silent:
        case reason::malformed:
        case reason::node_lost:
            return after_loss(address, channel_ending.retry_after, now);
    }
    return after_loss(address, channel_ending.retry_after, now);  // a reason of a newer node
}

agent_effects agent_state_machine::fenced(instant now) {
    auto* channel = std::get_if<connected>(&state_);
    if (channel == nullptr || channel->looking || now < channel->look_not_before) return {};
    channel->looking = true;
    return {ask_place{entry_}};
}

agent_effects agent_state_machine::expire(instant now) {
    const auto* pause = std::get_if<resting>(&state_);
    if (pause == nullptr || now < pause->until) return {};
    if (const auto* next = std::get_if<request>(&pause->then)) return ask(*next);
    return open(std::get<opening>(pause->then).address);
}

std::optional<instant> agent_state_machine::next_deadline() const {
    const auto* pause = std::get_if<resting>(&state_);
    if (pause == nullptr) return std::nullopt;
    return pause->until;
}

// What a server asked for is kept, and spread a little beyond; otherwise full jitter.
monotonic::duration agent_state_machine::pause_for(monotonic::duration retry_after) {
    const auto own = pause_.next();
    if (retry_after <= monotonic::duration::zero()) return own;
    const auto request = std::min(retry_after, options_.retry_after_max);
    const auto spread = static_cast<std::uint64_t>(request.count() / 8 + 1);
    return request + monotonic::duration(static_cast<monotonic::rep>(random_.below(spread)));
}

monotonic::duration agent_state_machine::jittered(monotonic::duration span) {
    const auto half = static_cast<std::uint64_t>(span.count() / 2 + 1);
    return span * 3 / 4 + monotonic::duration(static_cast<monotonic::rep>(random_.below(half)));
}

}  // namespace muster::lifecycle
