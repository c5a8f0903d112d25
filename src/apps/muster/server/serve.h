#pragma once

#include "runtime/settings/settings.h"

#include <functional>
#include <string>
#include <vector>

namespace muster::server {

// Logs why the server does not start, if the log format is JSON; people read standard error. Uses
// the log settings even if others have problems.
void log_refusal(const runtime::settings& settings, const std::vector<std::string>& problems);

// Runs a server until it is stopped. `read_settings` is called again at each reload. Returns why
// the start failed.
result<void> serve(const std::function<runtime::resolution()>& read_settings);

}  // namespace muster::server
