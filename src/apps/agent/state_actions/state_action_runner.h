#pragma once

#include "apps/agent/state_actions/action.h"
#include "base/time.h"
#include "ports/async.h"
#include "ports/clock.h"

#include <filesystem>
#include <string>

namespace muster::agent {

struct state_action_options {
    state_actions actions;
    std::filesystem::path config = "/etc/salt/minion.d/muster.conf";
    std::string unit = "salt-minion";  // systemd unit, used without commands
    std::string start_command;
    std::string stop_command;
    monotonic::duration command_timeout = std::chrono::seconds(60);
};

// Runs the actions of a state. Not thread-safe.
class state_action_runner {
public:
    state_action_runner(state_action_options options, muster::clock& clock)
        : options_(std::move(options)), clock_(clock) {}

    // Runs the actions of this state in order, up to the first failure. Actions may be repeated.
    // `host` is the node's host if the system is onboarded.
    async<void> run(system_state state, std::string host);

private:
    async<void> run_action(action action, system_state state, std::string host);
    result<void> configure(const std::string& host);
    std::string start_text() const;
    std::string stop_text() const;

    state_action_options options_;
    muster::clock& clock_;
    bool restart_due_ = false;  // settings changed since the service was started
};

}  // namespace muster::agent
