#pragma once

#include "roles/gateway/web_pages.h"

namespace muster::server {

// The Cluster UI, which the build makes of web/ and puts into the program.
gateway::web_assets web_assets();

}  // namespace muster::server
