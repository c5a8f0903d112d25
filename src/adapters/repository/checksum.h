#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace muster::repository {

// Compares the checksum of `bytes` with `expected` (hexadecimal). `kind` is a repository's name:
// sha, sha1, sha224, sha256, sha384 or sha512. errc::corrupt if they differ; errc::invalid for
// other kinds.
result<void> check_sum(std::string_view bytes, std::string_view kind, std::string_view expected);

}  // namespace muster::repository
