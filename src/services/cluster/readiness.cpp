#include "services/cluster/readiness.h"

#include "base/assert.h"

#include <algorithm>
#include <chrono>

namespace muster::cluster {
namespace {

constexpr auto same_reason_interval = std::chrono::minutes(1);
constexpr auto new_reason_interval =
    std::chrono::seconds(5);  // limits the log when reasons alternate

std::size_t index_of(engine engine) {
    return static_cast<std::size_t>(engine);
}

}  // namespace

std::string_view to_string(engine engine) {
    switch (engine) {
        case cluster::engine::metastore:
            return "metastore";
        case cluster::engine::ledger:
            return "ledger";
        case cluster::engine::bus:
            return "bus";
    }
    MUSTER_ASSERT(false);
    return {};
}

std::string_view to_string(stage stage) {
    switch (stage) {
        case cluster::stage::starting:
            return "starting";
        case cluster::stage::serving:
            return "serving";
        case cluster::stage::draining:
            return "draining";
    }
    MUSTER_ASSERT(false);
    return {};
}

bool readiness::report::is_ready() const {
    return stage == cluster::stage::serving && member
           && std::ranges::all_of(engines, [](const auto& engine) { return engine.reachable; });
}

const engine_state& readiness::report::state_of(engine engine) const {
    return engines.at(index_of(engine));
}

bool readiness::record_check(engine engine, const result<void>& check, wall_time now) {
    const std::lock_guard lock(mutex_);
    auto& state = current_.engines.at(index_of(engine));
    const bool first = state.since == wall_time();
    const bool changed = first || state.reachable != check.has_value();
    state.reachable = check.has_value();
    state.detail = check ? "" : to_string(check.error());
    if (changed) state.since = now;
    const bool log_again = changed || (!state.reachable && should_log_again(state, now));
    if (log_again) {
        state.logged_detail = state.detail;
        state.logged_at = now;
    }
    return log_again;
}

bool readiness::should_log_again(const engine_state& state, wall_time now) {
    if (now < state.logged_at) return true;  // the clock was set back
    const auto since_logged = now - state.logged_at;
    return since_logged >= same_reason_interval
           || (state.detail != state.logged_detail && since_logged >= new_reason_interval);
}

void readiness::set_stage(stage stage) {
    const std::lock_guard lock(mutex_);
    current_.stage = stage;
}

void readiness::set_member(bool registered) {
    const std::lock_guard lock(mutex_);
    current_.member = registered;
}

readiness::report readiness::read() const {
    const std::lock_guard lock(mutex_);
    return current_;
}

}  // namespace muster::cluster
