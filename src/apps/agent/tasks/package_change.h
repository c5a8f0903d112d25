#pragma once

#include "apps/agent/tasks/command.h"

#include <string>

namespace muster::agent {

// How the machine's packages are changed.
struct package_change_options {
    // apt-get, dnf, yum or zypper, by name or path; empty: the first of them that there is.
    std::string manager = {};
};

// packages.change: `action` is install, remove, upgrade or distribution; `packages` says which,
// each as "NAME" or "NAME EDITION ARCH". An upgrade without any is one of all that is installed;
// one with some installs nothing that is not there already. `distribution` takes none: everything
// becomes what the machine's sources have now, also older, and what is in the way is removed; of
// another vendor only if `change_vendors` says so (zypper alone knows vendors). With `test` nothing
// is changed: what would be is told. The machine's own program does it, without a shell and without
// asking back; what it writes is the payload.
result<command> parse_package_change(
    const session::task_order& task,
    const command_limits& limits,
    const package_change_options& options);

}  // namespace muster::agent
