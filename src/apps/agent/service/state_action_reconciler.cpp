#include "apps/agent/service/state_action_reconciler.h"

#include "ports/deadline.h"

#include <utility>

namespace muster::agent {
namespace {

constexpr backoff::options pauses{
    .first = std::chrono::seconds(5), .longest = std::chrono::minutes(5)};
constexpr int final_attempts = 3;
constexpr std::chrono::seconds final_pause{1};

}  // namespace

state_action_reconciler::state_action_reconciler(
    state_action_options options, muster::agent::log& log, muster::clock& clock, prng random)
    : runner_(std::move(options), clock), log_(log), clock_(clock), pause_(pauses, random) {}

void state_action_reconciler::set_state(system_state state, std::string host) {
    desired_ = desired_state{.state = state, .host = std::move(host)};
    pause_.reset();
    changed_.notify();
}

boost::asio::awaitable<bool> state_action_reconciler::attempt(desired_state desired) {
    const auto done = co_await runner_.run(desired.state, desired.host);
    if (!done) {
        log_.warning(
            "state actions failed",
            {{"state", to_string(desired.state)}, {"error", done.error().detail()}});
    }
    co_return done.has_value();
}

boost::asio::awaitable<void> state_action_reconciler::run() {
    while (true) {
        if (!desired_) {
            const auto notified = co_await changed_.wait();
            if (!notified) co_return;
            continue;
        }
        const auto desired = *std::exchange(desired_, std::nullopt);
        const bool done = co_await attempt(desired);
        if (done || desired_) continue;
        const auto waited = co_await within(clock_, pause_.next(), changed_.wait());
        if (!waited && waited.error().code() == errc::cancelled) co_return;
        if (!desired_) desired_ = desired;
    }
}

boost::asio::awaitable<void> state_action_reconciler::finish(system_state state) {
    for (int remaining = final_attempts; remaining > 0; --remaining) {
        const bool done = co_await attempt({.state = state, .host = {}});
        if (done) co_return;
        const auto waited = co_await clock_.sleep_for(final_pause);
        if (!waited) co_return;
    }
}

}  // namespace muster::agent
