#include "core/access/config_channel_access.h"

namespace muster::access {

// Labels of groups with channels are given by those of the whole cluster, see may_label(). Tags,
// names and facts, of which expressions are made, are not.
bool reaches(extent caller_extent, subscription_source source) {
    switch (source) {
        case subscription_source::itself:
        case subscription_source::group_label:
            return true;
        case subscription_source::group_expression:
            return caller_extent == extent::cluster;
    }
    return false;
}

bool may_label(extent caller_extent, group_content content) {
    return caller_extent == extent::cluster || content == group_content::none;
}

}  // namespace muster::access
