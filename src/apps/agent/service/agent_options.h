#pragma once

#include "adapters/net/endpoint.h"
#include "adapters/net/tls_context.h"
#include "apps/agent/facts/fact_collector.h"
#include "apps/agent/service/package_reporter.h"
#include "apps/agent/state_actions/state_action_runner.h"
#include "apps/agent/tasks/task_manager.h"
#include "base/time.h"
#include "runtime/settings/settings.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace muster::agent {

// Data directory of the machine's main agent.
inline constexpr auto data_default = "/var/lib/muster-agent";

// File in the data directory with running and waiting tasks, for `muster-agent tasks`.
inline constexpr auto tasks_file = "tasks.json";

struct agent_options {
    std::vector<std::string> entries;  // URLs without a path
    net::trust trusted;
    std::filesystem::path data;
    std::string name;  // empty: the machine's full name
    std::string activation_key;
    std::string token;
    monotonic::duration poll_interval;
    monotonic::duration retry_max;
    std::optional<net::endpoint> proxy;  // SOCKS5
    monotonic::duration exit_when_idle;  // idle time after which the agent ends; zero: never
    fact_options facts;
    monotonic::duration facts_interval;
    state_action_options state_actions;
    task_manager_options tasks;
    package_reporter::options packages;
};

// Reads the files that the settings name. An error names the setting.
result<agent_options> options_from(const runtime::settings& settings);

}  // namespace muster::agent
