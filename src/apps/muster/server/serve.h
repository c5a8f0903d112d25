#pragma once

#include "runtime/settings/settings.h"

#include <functional>
#include <string>
#include <vector>

namespace muster::server {

// Tells whoever collects the log, when its lines are JSON, why there is no server: the settings may
// have problems, but what they say of the log is heeded. People read the same on standard error.
void log_refusal(const runtime::settings& settings, const std::vector<std::string>& problems);

// Runs a server until it is told to stop. Settings are read through `read`, again at each reload.
// A start that fails says why in one sentence.
result<void> serve(const std::function<runtime::resolution()>& read);

}  // namespace muster::server
