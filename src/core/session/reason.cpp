#include "core/session/reason.h"

namespace muster::session {

std::string_view to_string(reason why) {
    switch (why) {
        case reason::unknown:
            return "unknown";
        case reason::moved:
            return "moved";
        case reason::orphan:
            return "orphan";
        case reason::fresh:
            return "new";
        case reason::deleted:
            return "deleted";
        case reason::busy:
            return "busy";
        case reason::denied:
            return "denied";
        case reason::stopping:
            return "stopping";
        case reason::replaced:
            return "replaced";
        case reason::closed:
            return "closed";
        case reason::broken:
            return "broken";
        case reason::silent:
            return "silent";
        case reason::malformed:
            return "malformed";
        case reason::node_lost:
            return "node lost";
    }
    return "unknown";  // a number from a newer server
}

}  // namespace muster::session
