#include "services/cluster/readiness.h"

#include "base/assert.h"

#include <algorithm>
#include <chrono>

namespace muster::cluster {
namespace {

constexpr auto same_reason_every = std::chrono::minutes(1);
constexpr auto other_reason_every = std::chrono::seconds(5);  // reasons may take turns

std::size_t index_of(engine engine) {
    return static_cast<std::size_t>(engine);
}

}  // namespace

std::string_view to_string(engine which) {
    switch (which) {
        case engine::metastore:
            return "metastore";
        case engine::ledger:
            return "ledger";
        case engine::bus:
            return "bus";
    }
    MUSTER_ASSERT(false);
    return {};
}

std::string_view to_string(stage which) {
    switch (which) {
        case stage::starting:
            return "starting";
        case stage::serving:
            return "serving";
        case stage::draining:
            return "draining";
    }
    MUSTER_ASSERT(false);
    return {};
}

bool readiness::report::ready() const {
    return now == stage::serving && member
           && std::ranges::all_of(engines, [](const auto& each) { return each.reachable; });
}

const engine_state& readiness::report::of(engine engine) const {
    return engines.at(index_of(engine));
}

bool readiness::heard_of(engine engine, const result<void>& answer, wall_time now) {
    const std::lock_guard lock(guard_);
    auto& state = current_.engines.at(index_of(engine));
    const bool first = state.since == wall_time();
    const bool changed = first || state.reachable != answer.has_value();
    state.reachable = answer.has_value();
    state.detail = answer ? "" : to_string(answer.error());
    if (changed) state.since = now;
    const bool told = changed || (!state.reachable && worth_telling(state, now));
    if (told) {
        state.told = state.detail;
        state.told_at = now;
    }
    return told;
}

bool readiness::worth_telling(const engine_state& state, wall_time now) {
    if (now < state.told_at) return true;  // the clock was set back
    const auto silent_for = now - state.told_at;
    return silent_for >= same_reason_every
           || (state.detail != state.told && silent_for >= other_reason_every);
}

void readiness::enter(stage next) {
    const std::lock_guard lock(guard_);
    current_.now = next;
}

void readiness::set_member(bool registered) {
    const std::lock_guard lock(guard_);
    current_.member = registered;
}

readiness::report readiness::read() const {
    const std::lock_guard lock(guard_);
    return current_;
}

}  // namespace muster::cluster
