#pragma once

#include "apps/agent/state_actions/action.h"
#include "base/time.h"
#include "ports/async.h"
#include "ports/clock.h"

#include <filesystem>
#include <string>

namespace muster::agent {

struct performer_options {
    state_actions what;
    std::filesystem::path config = "/etc/salt/minion.d/muster.conf";
    std::string unit = "salt-minion";  // of systemd, unless there are commands
    std::string start_command;
    std::string stop_command;
    monotonic::duration command_time = std::chrono::seconds(60);
};

// Does what a scenario asks for.
class state_action_runner {
public:
    state_action_runner(performer_options options, muster::clock& clock)
        : options_(std::move(options)), clock_(clock) {}

    // The actions of this state in order, up to the first that fails; doing them again does no
    // harm. `host` is the node's when the system is onboarded.
    async<void> perform(system_state state, std::string host);

private:
    async<void> do_one(action action, system_state state, std::string host);
    result<void> configure(const std::string& host);
    std::string start_text() const;
    std::string stop_text() const;

    performer_options options_;
    muster::clock& clock_;
    bool restart_due_ = false;  // the settings changed since the service was started
};

}  // namespace muster::agent
