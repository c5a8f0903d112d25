#pragma once

#include "runtime/settings/settings.h"

#include <string>
#include <vector>

namespace muster::server {

// What shows only when settings are taken together or held against this machine, such as an engine
// far away without TLS or a file that is not there: all that `muster serve` would refuse them for,
// a sentence each. Changes nothing and asks nobody.
std::vector<std::string> check_settings(const runtime::settings& settings);

}  // namespace muster::server
