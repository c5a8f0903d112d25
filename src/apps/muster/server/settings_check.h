#pragma once

#include "runtime/settings/settings.h"

#include <string>
#include <vector>

namespace muster::server {

// Finds problems of the settings as a whole or with this machine, such as a remote engine without
// TLS or a missing file: everything that `muster serve` would refuse. Returns one message a
// problem. Changes nothing and calls nobody.
std::vector<std::string> check_settings(const runtime::settings& settings);

}  // namespace muster::server
