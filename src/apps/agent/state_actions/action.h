#pragma once

#include "base/result.h"
#include "core/model/system.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace muster::agent {

// What the agent does when the cluster tells its system a state.
struct configure_backend {  // write the node's name into the managed service's settings
    friend bool operator==(const configure_backend&, const configure_backend&) = default;
};
struct start_backend {
    friend bool operator==(const start_backend&, const start_backend&) = default;
};
struct stop_backend {
    friend bool operator==(const stop_backend&, const stop_backend&) = default;
};
struct run_command {
    std::string command;  // for /bin/sh
    friend bool operator==(const run_command&, const run_command&) = default;
};
using action = std::variant<configure_backend, start_backend, stop_backend, run_command>;
using actions = std::vector<action>;

// "stop; run /usr/local/bin/tell-them; start". Empty: nothing is done.
result<actions> parse_actions(std::string_view text);

enum class backend { native, salt };

// One list for each state.
struct state_actions {
    actions fresh;
    actions orphan;
    actions onboarded;
    actions deleted;

    const actions& of(system_state state) const;

    friend bool operator==(const state_actions&, const state_actions&) = default;
};

// `native` serves muster's own work and does nothing besides. `salt` keeps salt-minion stopped
// while there is no node for it, and otherwise running with that node as its master.
state_actions scenario_of(backend which);

}  // namespace muster::agent
