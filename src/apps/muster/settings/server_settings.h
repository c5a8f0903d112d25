#pragma once

#include "runtime/settings/setting.h"

namespace muster::cli {

// Every setting of `muster serve`.
runtime::catalogue server_settings();

inline constexpr auto server_settings_file = "/etc/muster/muster.yaml";

}  // namespace muster::cli
