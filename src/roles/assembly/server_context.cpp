#include "roles/assembly/server_context.h"

#include <algorithm>

namespace muster::roles {

bool server_context::has_role(std::string_view role) const {
    return std::ranges::find(own.roles, role) != own.roles.end();
}

}  // namespace muster::roles
