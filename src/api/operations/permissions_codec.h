#pragma once

#include "base/result.h"
#include "core/access/right.h"

#include <string>
#include <string_view>

namespace muster::api {

// Permissions as text, for changes in a draft and for calls forwarded to the leader. Zones are
// listed one by one, so that zones created later are not included.
std::string encode_rights(const access::permissions& permissions, const access::zone_parents& tree);
result<access::permissions> decode_rights(std::string_view text);

}  // namespace muster::api
