#pragma once

#include "apps/muster/server/server_options.h"
#include "services/people/people_services.h"

namespace muster::server {

// The options of the people services, from the settings of a server.
people::people_services::options people_options(
    const server_options& options, people::password_listener& listener);

}  // namespace muster::server
