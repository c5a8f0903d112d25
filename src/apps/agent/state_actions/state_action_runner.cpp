#include "apps/agent/state_actions/state_action_runner.h"

#include "adapters/os/file.h"
#include "apps/agent/state_actions/child.h"

#include <fmt/format.h>

namespace muster::agent {

async<void> state_action_runner::run(system_state state, std::string host) {
    for (const auto& action : options_.actions.for_state(state)) {
        CO_CHECK_OK(co_await run_action(action, state, host));
    }
    co_return result<void>();
}

async<void> state_action_runner::run_action(action action, system_state state, std::string host) {
    if (std::holds_alternative<configure_backend>(action)) co_return configure(host);
    child_command child{
        .environment = {{"MUSTER_STATE", std::string(to_string(state))}, {"MUSTER_NODE", host}},
        .limit = options_.command_timeout};
    if (const auto* custom = std::get_if<run_command>(&action)) {
        child.command = custom->command;
        co_return co_await run_child(clock_, child);
    }
    if (std::holds_alternative<stop_backend>(action)) {
        child.command = stop_text();
        co_return co_await run_child(clock_, child);
    }
    if (restart_due_) {
        child_command stopping = child;
        stopping.command = stop_text();
        CO_CHECK_OK(co_await run_child(clock_, stopping));
    }
    child.command = start_text();
    CO_CHECK_OK(co_await run_child(clock_, child));
    restart_due_ = false;
    co_return result<void>();
}

std::string state_action_runner::start_text() const {
    return options_.start_command.empty() ? "systemctl start " + options_.unit
                                          : options_.start_command;
}

std::string state_action_runner::stop_text() const {
    return options_.stop_command.empty() ? "systemctl stop " + options_.unit
                                         : options_.stop_command;
}

result<void> state_action_runner::configure(const std::string& host) {
    if (host.empty())
        return fail(
            errc::invalid, "action `configure` is allowed in the setting actions.onboarded only");
    const auto desired = fmt::format("# Written by muster-agent.\nmaster: {}\n", host);
    const auto current = os::load_file(options_.config);
    if (current && *current == desired) return {};
    std::error_code failure;
    std::filesystem::create_directories(options_.config.parent_path(), failure);
    if (failure) {
        return fail(
            errc::denied,
            fmt::format(
                "cannot create {}: {}", options_.config.parent_path().string(), failure.message()));
    }
    if (current) {
        auto backup = options_.config;
        backup += "~";
        CHECK_OK(os::save_file({.file = backup, .text = *current}));
    }
    restart_due_ = true;
    return os::save_file({.file = options_.config, .text = desired});
}

}  // namespace muster::agent
