#pragma once

#include "base/result.h"
#include "runtime/settings/settings.h"

namespace muster::server {

// The network is untrusted: an engine that is not on this machine is reached by TLS, or somebody
// said in `engines.insecure` that the way to it is safe. errc::invalid names the engine, the host
// and both cures.
result<void> check_engine_links(const runtime::settings& wanted);

}  // namespace muster::server
