#pragma once

#include "base/endpoint.h"
#include "base/result.h"
#include "runtime/settings/settings.h"

#include <vector>

namespace muster::server {

// The network is untrusted: an engine on another machine needs TLS, unless `engines.insecure`
// allows plain connections. errc::invalid names the engine, the host and both remedies.
result<void> check_engine_tls(const runtime::settings& settings);

// The endpoints of the engines that are reached over the network.
result<std::vector<endpoint>> engine_endpoints(const runtime::settings& settings);

}  // namespace muster::server
