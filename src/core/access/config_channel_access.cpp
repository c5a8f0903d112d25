#include "core/access/config_channel_access.h"

namespace muster::access {

// Labels of groups with channels are given by those of the whole cluster, see may_label(). Tags,
// names and facts, of which expressions are made, are not.
bool reaches(extent of, came_by how) {
    switch (how) {
        case came_by::itself:
        case came_by::group_label:
            return true;
        case came_by::group_expression:
            return of == extent::cluster;
    }
    return false;
}

bool may_label(extent of, group_content with) {
    return of == extent::cluster || with == group_content::none;
}

}  // namespace muster::access
