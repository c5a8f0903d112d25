// A server without pages: MUSTER_WEB=OFF.
#include "apps/muster/server/web_assets.h"

namespace muster::server {

gateway::web_assets web_assets() {
    return {};
}

}  // namespace muster::server
