#pragma once

#include "apps/agent/tasks/command.h"

#include <string>

namespace muster::agent {

// How the agent changes packages.
struct package_change_options {
    // apt-get, dnf, yum or zypper, by name or path; empty: the first that is installed.
    std::string manager = {};
};

// packages.change: `action` is install, remove, upgrade or distribution. `packages` is a list of
// "NAME" or "NAME EDITION ARCH". An upgrade without packages upgrades everything installed; with
// packages it installs nothing new. `distribution` takes no packages: it synchronises the machine
// with its sources, including downgrades and removals. It changes vendors only with
// `change_vendors` (zypper only). `test` reports the changes without making them. The package
// manager runs without a shell and without questions; its output is the payload.
result<command> parse_package_change(
    const session::task_request& task,
    const command_limits& limits,
    const package_change_options& options);

}  // namespace muster::agent
