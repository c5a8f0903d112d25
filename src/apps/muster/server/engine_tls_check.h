#pragma once

#include "base/endpoint.h"
#include "base/result.h"
#include "runtime/settings/settings.h"

#include <vector>

namespace muster::server {

// The network is untrusted: an engine that is not on this machine is reached by TLS, or somebody
// said in `engines.insecure` that the way to it is safe. errc::invalid names the engine, the host
// and both cures.
result<void> check_engine_tls(const runtime::settings& settings);

// Where the engines are that are reached over the network.
result<std::vector<endpoint>> engine_endpoints(const runtime::settings& settings);

}  // namespace muster::server
