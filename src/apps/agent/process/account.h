#pragma once

#include "base/result.h"

#include <sys/types.h>

#include <string>
#include <vector>

namespace muster::agent {

// The account that a command runs as.
struct account {
    uid_t user = 0;
    gid_t group = 0;
    std::vector<gid_t> groups;
    std::string name;
    std::string home;
    std::string shell;
};

// Reads /etc/passwd and /etc/group: a static program cannot load modules such as LDAP. Empty names
// mean the agent's own account. errc::invalid names a missing user or group.
result<account> find_account(const std::string& user, const std::string& group);

}  // namespace muster::agent
