#include "apps/agent/state_actions/action.h"

#include <fmt/format.h>

namespace muster::agent {
namespace {

std::string_view trim(std::string_view text) {
    const auto start = text.find_first_not_of(" \t\n");
    if (start == std::string_view::npos) return {};
    return text.substr(start, text.find_last_not_of(" \t\n") - start + 1);
}

result<action> parse_action(std::string_view text) {
    if (text == "configure") return configure_backend{};
    if (text == "start") return start_backend{};
    if (text == "stop") return stop_backend{};
    if (text.starts_with("run ") && !trim(text.substr(4)).empty())
        return run_command{std::string(trim(text.substr(4)))};
    return fail(
        errc::invalid,
        fmt::format("unknown action \"{}\"; use configure, start, stop or run COMMAND", text));
}

}  // namespace

result<actions> parse_actions(std::string_view text) {
    actions result;
    while (!trim(text).empty()) {
        const auto end = std::min(text.find(';'), text.size());
        const auto part = trim(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (part.empty()) continue;
        TRY(auto action, parse_action(part));
        result.push_back(std::move(action));
    }
    return result;
}

const actions& state_actions::for_state(system_state state) const {
    switch (state) {
        case system_state::fresh:
            return fresh;
        case system_state::orphan:
            return orphan;
        case system_state::onboarded:
            return onboarded;
        case system_state::deleted:
            break;
    }
    return deleted;
}

state_actions default_actions(agent::backend backend) {
    if (backend == backend::native) return {};
    return {
        .fresh = {},
        .orphan = {stop_backend{}},
        .onboarded = {configure_backend{}, start_backend{}},
        .deleted = {stop_backend{}}};
}

}  // namespace muster::agent
