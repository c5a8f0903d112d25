#include "apps/agent/service/state_action_reconciler.h"

#include "ports/deadline.h"

#include <utility>

namespace muster::agent {
namespace {

constexpr backoff::options pauses{
    .first = std::chrono::seconds(5), .longest = std::chrono::minutes(5)};
constexpr int last_attempts = 3;
constexpr std::chrono::seconds last_pause{1};

}  // namespace

state_action_reconciler::state_action_reconciler(
    performer_options options, muster::agent::log& log, muster::clock& clock, prng random)
    : acts_(std::move(options), clock), log_(log), clock_(clock), pause_(pauses, random) {}

void state_action_reconciler::want(system_state state, std::string host) {
    wanted_ = wanted_state{.state = state, .host = std::move(host)};
    pause_.reset();
    changed_.ring();
}

boost::asio::awaitable<bool> state_action_reconciler::attempt(wanted_state wanted_state) {
    const auto done = co_await acts_.perform(wanted_state.state, wanted_state.host);
    if (!done) {
        log_.warning(
            "the scenario of this state failed",
            {{"state", to_string(wanted_state.state)}, {"error", done.error().detail()}});
    }
    co_return done.has_value();
}

boost::asio::awaitable<void> state_action_reconciler::run() {
    while (true) {
        if (!wanted_) {
            const auto rung = co_await changed_.wait();
            if (!rung) co_return;
            continue;
        }
        const auto what = *std::exchange(wanted_, std::nullopt);
        const bool done = co_await attempt(what);
        if (done || wanted_) continue;
        const auto waited = co_await within(clock_, pause_.next(), changed_.wait());
        if (!waited && waited.error().code() == errc::cancelled) co_return;
        if (!wanted_) wanted_ = what;
    }
}

boost::asio::awaitable<void> state_action_reconciler::finish(system_state state) {
    for (int left = last_attempts; left > 0; --left) {
        const bool done = co_await attempt({.state = state, .host = {}});
        if (done) co_return;
        const auto slept = co_await clock_.sleep_for(last_pause);
        if (!slept) co_return;
    }
}

}  // namespace muster::agent
