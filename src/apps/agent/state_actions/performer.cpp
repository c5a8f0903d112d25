#include "apps/agent/state_actions/performer.h"

#include "adapters/os/file.h"
#include "apps/agent/state_actions/child.h"

#include <fmt/format.h>

namespace muster::agent {

async<void> performer::perform(system_state state, std::string host) {
    for (const auto& each : how_.what.of(state)) {
        CO_CHECK_OK(co_await do_one(each, state, host));
    }
    co_return result<void>();
}

async<void> performer::do_one(action what, system_state state, std::string host) {
    if (std::holds_alternative<configure_backend>(what)) co_return configure(host);
    child_command child{
        .environment = {{"MUSTER_STATE", std::string(to_string(state))}, {"MUSTER_NODE", host}},
        .limit = how_.command_time};
    if (const auto* own = std::get_if<run_command>(&what)) {
        child.command = own->command;
        co_return co_await run_child(time_, child);
    }
    if (std::holds_alternative<stop_backend>(what)) {
        child.command = stop_text();
        co_return co_await run_child(time_, child);
    }
    if (restart_due_) {
        child_command stopping = child;
        stopping.command = stop_text();
        CO_CHECK_OK(co_await run_child(time_, stopping));
    }
    child.command = start_text();
    CO_CHECK_OK(co_await run_child(time_, child));
    restart_due_ = false;
    co_return result<void>();
}

std::string performer::start_text() const {
    return how_.start_command.empty() ? "systemctl start " + how_.unit : how_.start_command;
}

std::string performer::stop_text() const {
    return how_.stop_command.empty() ? "systemctl stop " + how_.unit : how_.stop_command;
}

result<void> performer::configure(const std::string& host) {
    if (host.empty()) return fail(errc::invalid, "`configure` needs a node: use it on onboarded");
    const auto wanted = fmt::format("# Written by muster-agent.\nmaster: {}\n", host);
    const auto present = os::load_file(how_.config);
    if (present && *present == wanted) return {};
    std::error_code failure;
    std::filesystem::create_directories(how_.config.parent_path(), failure);
    if (failure) {
        return fail(
            errc::denied,
            fmt::format(
                "cannot make {}: {}", how_.config.parent_path().string(), failure.message()));
    }
    if (present) {
        auto backup = how_.config;
        backup += "~";
        CHECK_OK(os::save_file({.file = backup, .text = *present}));
    }
    restart_due_ = true;
    return os::save_file({.file = how_.config, .text = wanted});
}

}  // namespace muster::agent
