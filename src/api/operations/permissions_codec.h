#pragma once

#include "base/result.h"
#include "core/access/right.h"

#include <string>
#include <string_view>

namespace muster::api {

// What somebody may do, as text: for a change that waits in a draft, and for a call that is handed
// on to the leader. Zones are named one by one as the tree has them now, so that later ones are not
// among them.
std::string encode_rights(const access::permissions& may, const access::zone_parents& tree);
result<access::permissions> decode_rights(std::string_view text);

}  // namespace muster::api
