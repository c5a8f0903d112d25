#pragma once

#include "runtime/settings/setting.h"
#include "runtime/settings/settings.h"
#include "runtime/settings/source.h"

#include <string>

namespace muster::agent::cli {

// Every setting of `muster-agent run`.
runtime::catalogue agent_settings();

inline constexpr auto agent_settings_file = "/etc/muster/agent.yaml";

struct settings_input {
    std::string config;  // file given by the user; empty: the default file, if it exists
    runtime::settings_source flags;
};

// Order of precedence: flags, environment, file, defaults.
runtime::resolution resolve(const settings_input& input);

}  // namespace muster::agent::cli
