#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace muster::repository {

// Whether these bytes have the checksum that they should have, in hexadecimal, of a kind as
// repositories call it: sha, sha1, sha224, sha256, sha384 or sha512. errc::corrupt if not;
// errc::invalid for a kind that proves nothing.
result<void> check_sum(std::string_view bytes, std::string_view kind, std::string_view desired);

}  // namespace muster::repository
