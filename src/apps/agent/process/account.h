#pragma once

#include "base/result.h"

#include <sys/types.h>

#include <string>
#include <vector>

namespace muster::agent {

// Whom a command runs as.
struct account {
    uid_t user = 0;
    gid_t group = 0;
    std::vector<gid_t> groups;
    std::string name;
    std::string home;
    std::string shell;
};

// From /etc/passwd and /etc/group: a static program cannot load what would ask LDAP. Both may be
// empty: then it is the agent's own account. errc::invalid names what does not exist.
result<account> find_account(const std::string& user, const std::string& group);

}  // namespace muster::agent
