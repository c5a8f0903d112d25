#pragma once

#include "runtime/settings/settings.h"

#include <functional>

namespace muster::server {

// What shows only when the settings are taken together, as an engine far away without TLS: the
// sentence that a server would refuse them with.
result<void> check_settings(const runtime::settings& wanted);

// Runs a server until it is told to stop. Settings are read through `read`, again at each reload.
// A start that fails says why in one sentence.
result<void> serve(const std::function<runtime::resolution()>& read);

}  // namespace muster::server
