#pragma once

#include "api/rest/web_pages.h"

namespace muster::server {

// The Cluster UI, which the build makes of web/ and puts into the program.
api::web_assets web_assets();

}  // namespace muster::server
