#pragma once

#include "apps/muster/server/server_options.h"
#include "services/people/people_services.h"

#include <functional>

namespace muster::server {

// How a server lets people in, by its settings. `first_password_spent` is called when the first
// user's password was changed through this server.
people::people_services::options staffing(
    const server_options& options, std::function<void()> first_password_spent);

}  // namespace muster::server
