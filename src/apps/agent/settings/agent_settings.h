#pragma once

#include "runtime/settings/setting.h"
#include "runtime/settings/settings.h"
#include "runtime/settings/source.h"

#include <string>

namespace muster::agent::cli {

// Every setting of `muster-agent run`.
runtime::catalogue agent_settings();

inline constexpr auto agent_settings_file = "/etc/muster/agent.yaml";

struct given_settings {
    std::string config;  // the file that was named; empty: the default one, if it exists
    runtime::reading flags;
};

// Flags, then environment, then file, then defaults.
runtime::resolution resolve(const given_settings& given_settings);

}  // namespace muster::agent::cli
