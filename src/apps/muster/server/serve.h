#pragma once

#include "runtime/settings/settings.h"

#include <functional>

namespace muster::server {

// Runs a server until it is told to stop. Settings are read through `read`, again at each reload.
// A start that fails says why in one sentence.
result<void> serve(const std::function<runtime::resolution()>& read);

}  // namespace muster::server
