#pragma once

#include "base/result.h"
#include "core/model/system.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace muster::agent {

// Actions that the agent runs when the cluster reports a state of its system.
struct configure_backend {  // write the node's name into the settings of the managed service
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

// "stop; run /usr/local/bin/tell-them; start". Empty: no actions.
result<actions> parse_actions(std::string_view text);

enum class backend { native, salt };

// The actions of each state.
struct state_actions {
    actions fresh;
    actions orphan;
    actions onboarded;
    actions deleted;

    const actions& for_state(system_state state) const;

    friend bool operator==(const state_actions&, const state_actions&) = default;
};

// `native` has no actions. `salt` stops salt-minion while there is no node, and otherwise runs it
// with the node as its master.
state_actions default_actions(backend backend);

}  // namespace muster::agent
