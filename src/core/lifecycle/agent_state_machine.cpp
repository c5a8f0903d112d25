#include "core/lifecycle/agent_state_machine.h"

#include "base/assert.h"

#include <algorithm>
#include <utility>

namespace muster::lifecycle {

using session::reason;

agent_state_machine::agent_state_machine(const agent_machine_options& options, prng random)
    : options_(options), random_(random), backoff_(options.retry, random_.fork()) {
    MUSTER_ASSERT(options.entries > 0);
    MUSTER_ASSERT(options.poll_interval > monotonic::duration::zero());
    MUSTER_ASSERT(options.retry.first > monotonic::duration::zero());
}

agent_effects agent_state_machine::start(instant /*now*/) {
    MUSTER_ASSERT(std::holds_alternative<idle>(state_));
    return send_request(request::status);
}

agent_effects agent_state_machine::send_request(request kind) {
    state_ = requesting{kind};
    switch (kind) {
        case request::status:
            return {request_status{entry_}};
        case request::enrol:
            return {enrol{entry_}};
        case request::placement:
            return {request_placement{entry_}};
    }
    MUSTER_ASSERT(false);
    return {};
}

agent_effects agent_state_machine::connect(std::string address) {
    state_ = connecting{address};
    return {open_connection{std::move(address)}};
}

agent_effects agent_state_machine::wait(
    monotonic::duration retry_after, std::variant<request, connecting> next, instant now) {
    state_ = waiting{.until = now + retry_delay(retry_after), .next = std::move(next)};
    return {};
}

agent_effects agent_state_machine::stop() {
    agent_effects out;
    if (is_attached()) out.emplace_back(close_connection{});
    change_state(out, system_state::deleted);
    out.emplace_back(stop_permanently{});
    state_ = stopped{};
    return out;
}

void agent_state_machine::change_state(
    agent_effects& out, system_state state, const std::string& address) {
    const bool moved = state == system_state::onboarded && address != node_address_;
    if (state == system_state::onboarded) node_address_ = address;
    if (entered_state_ == state && !moved) return;
    entered_state_ = state;
    out.emplace_back(enter_state{.state = state, .address = address});
}

agent_effects agent_state_machine::on_state(system_state state, instant now) {
    const auto* pending = std::get_if<requesting>(&state_);
    const auto* connection = std::get_if<connected>(&state_);
    const bool rechecking = connection != nullptr && connection->rechecking;
    if (state == system_state::deleted && (pending != nullptr || rechecking)) return stop();
    if (pending == nullptr || pending->kind == request::placement) return {};
    if (state != system_state::fresh) return send_request(request::placement);
    const bool just_enrolled = pending->kind == request::enrol;
    backoff_.reset();
    agent_effects out;
    change_state(out, system_state::fresh);
    if (just_enrolled) last_enrolled_ = now;
    if (!last_enrolled_ || now - *last_enrolled_ >= options_.enrol_interval) {
        for (auto& effect : send_request(request::enrol)) out.push_back(std::move(effect));
        return out;
    }
    state_ = waiting{.until = now + add_jitter(options_.poll_interval), .next = request::status};
    return out;
}

agent_effects agent_state_machine::on_placement(std::string address, instant now) {
    if (auto* connection = std::get_if<connected>(&state_);
        connection != nullptr && connection->rechecking) {
        connection->rechecking = false;
        connection->recheck_after = now + options_.recheck_interval;
        if (address == connection->address) return {};
        agent_effects out{close_connection{}};
        change_state(out, system_state::orphan);
        for (auto& effect : connect(std::move(address))) out.push_back(std::move(effect));
        return out;
    }
    const auto* pending = std::get_if<requesting>(&state_);
    if (pending == nullptr || pending->kind != request::placement) return {};
    moves_ = 0;
    agent_effects out;
    if (entered_state_ == system_state::onboarded && address != node_address_)
        change_state(out, system_state::orphan);
    for (auto& effect : connect(std::move(address))) out.push_back(std::move(effect));
    return out;
}

agent_effects agent_state_machine::on_no_placement(monotonic::duration retry_after, instant now) {
    if (auto* connection = std::get_if<connected>(&state_);
        connection != nullptr && connection->rechecking) {
        connection->rechecking = false;
        connection->recheck_after = now + std::max(options_.recheck_interval, retry_after);
        return {};
    }
    const auto* pending = std::get_if<requesting>(&state_);
    if (pending == nullptr || pending->kind != request::placement) return {};
    agent_effects out;
    change_state(out, system_state::orphan);
    wait(retry_after, request::placement, now);
    return out;
}

agent_effects agent_state_machine::on_not_accepted(instant now) {
    agent_effects out;
    if (auto* connection = std::get_if<connected>(&state_);
        connection != nullptr && connection->rechecking) {
        out.emplace_back(close_connection{});
    } else if (const auto* pending = std::get_if<requesting>(&state_);
               pending == nullptr || pending->kind != request::placement) {
        return {};
    }
    wait({}, request::status, now);
    return out;
}

agent_effects agent_state_machine::on_request_failed(monotonic::duration retry_after, instant now) {
    if (auto* connection = std::get_if<connected>(&state_);
        connection != nullptr && connection->rechecking) {
        connection->rechecking = false;
        connection->recheck_after = now + std::max(options_.recheck_interval, retry_after);
        entry_ = (entry_ + 1) % options_.entries;
        return {};
    }
    const auto* pending = std::get_if<requesting>(&state_);
    if (pending == nullptr) return {};
    entry_ = (entry_ + 1) % options_.entries;
    if (pending->kind == request::placement)
        return retry_connection(node_address_, retry_after, now);
    return wait(retry_after, request::status, now);
}

agent_effects agent_state_machine::on_welcome(instant now) {
    const auto* attempt = std::get_if<connecting>(&state_);
    if (attempt == nullptr) return {};
    const std::string address = attempt->address;
    state_ = connected{
        .address = address, .since = now, .recheck_after = now + options_.recheck_interval};
    tried_node_ = false;
    agent_effects out;
    change_state(out, system_state::onboarded, address);
    return out;
}

// Node and entry can fail independently, so tries them alternately.
agent_effects agent_state_machine::retry_connection(
    const std::string& address, monotonic::duration pause, instant now) {
    if (address.empty() || std::exchange(tried_node_, !tried_node_))
        return wait(pause, request::placement, now);
    return wait(pause, connecting{address}, now);
}

agent_effects agent_state_machine::follow_move(
    const std::string& from, const connection_end& end, instant now) {
    if (end.address.empty() || end.address == from || ++moves_ > options_.moves_max)
        return wait(end.retry_after, request::placement, now);
    agent_effects out;
    if (entered_state_ == system_state::onboarded && end.address != node_address_)
        change_state(out, system_state::orphan);
    for (auto& effect : connect(end.address)) out.push_back(std::move(effect));
    return out;
}

agent_effects agent_state_machine::on_connection_end(const connection_end& end, instant now) {
    std::string address;
    if (const auto* connection = std::get_if<connected>(&state_)) {
        address = connection->address;
        if (now - connection->since >= options_.stable_after) {
            backoff_.reset();
            moves_ = 0;
        }
    } else if (const auto* attempt = std::get_if<connecting>(&state_)) {
        address = attempt->address;
    } else {
        return {};
    }
    switch (end.why) {
        case reason::moved:
            return follow_move(address, end, now);
        case reason::deleted:
            state_ = idle{};  // no connection to close
            return stop();
        case reason::orphan: {
            agent_effects out;
            change_state(out, system_state::orphan);
            wait(end.retry_after, request::placement, now);
            return out;
        }
        case reason::fresh:
            last_enrolled_.reset();
            return wait(end.retry_after, request::status, now);
        case reason::denied:
        case reason::replaced:
        case reason::unknown:
            return wait(std::max(end.retry_after, options_.poll_interval), request::status, now);
        case reason::stopping:
            return wait(end.retry_after, request::placement, now);
        case reason::busy:
        case reason::closed:
        case reason::broken:
        case reason::silent:
        case reason::malformed:
        case reason::node_lost:
            return retry_connection(address, end.retry_after, now);
    }
    return retry_connection(address, end.retry_after, now);  // a reason that only newer nodes have
}

agent_effects agent_state_machine::on_node_fenced(instant now) {
    auto* connection = std::get_if<connected>(&state_);
    if (connection == nullptr || connection->rechecking || now < connection->recheck_after)
        return {};
    connection->rechecking = true;
    return {request_placement{entry_}};
}

agent_effects agent_state_machine::expire(instant now) {
    const auto* pause = std::get_if<waiting>(&state_);
    if (pause == nullptr || now < pause->until) return {};
    if (const auto* next = std::get_if<request>(&pause->next)) return send_request(*next);
    return connect(std::get<connecting>(pause->next).address);
}

std::optional<instant> agent_state_machine::next_deadline() const {
    const auto* pause = std::get_if<waiting>(&state_);
    if (pause == nullptr) return std::nullopt;
    return pause->until;
}

// At least what the server requested, plus some jitter; otherwise the backoff.
monotonic::duration agent_state_machine::retry_delay(monotonic::duration retry_after) {
    const auto backoff_delay = backoff_.next();
    if (retry_after <= monotonic::duration::zero()) return backoff_delay;
    const auto requested = std::min(retry_after, options_.retry_after_max);
    const auto spread = static_cast<std::uint64_t>(requested.count() / 8 + 1);
    return requested + monotonic::duration(static_cast<monotonic::rep>(random_.below(spread)));
}

monotonic::duration agent_state_machine::add_jitter(monotonic::duration span) {
    const auto half = static_cast<std::uint64_t>(span.count() / 2 + 1);
    return span * 3 / 4 + monotonic::duration(static_cast<monotonic::rep>(random_.below(half)));
}

}  // namespace muster::lifecycle
