#pragma once

#include "adapters/net/endpoint.h"
#include "adapters/net/tls_context.h"
#include "apps/agent/facts/survey.h"
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

// Where the machine's own agent keeps its key and journal.
inline constexpr auto data_default = "/var/lib/muster-agent";

// In the data directory: what runs and waits, for `muster-agent tasks`.
inline constexpr auto tasks_file = "tasks.json";

struct agent_options {
    std::vector<std::string> entries;  // URLs without a path
    net::trust trusted;
    std::filesystem::path data;
    std::string name;  // empty: the machine's full name
    std::string activation_key;
    std::string token;
    monotonic::duration poll;
    monotonic::duration retry_max;
    std::optional<net::endpoint> proxy;  // SOCKS5
    monotonic::duration stay;            // with nothing to do; zero: for ever
    survey_options survey;
    monotonic::duration survey_interval;
    performer_options state_action_runner;
    task_manager_options tasks;
    package_reporter::options packages;
};

// Reads the files that settings name. What is wrong is said in one sentence with the setting's
// name.
result<agent_options> options_from(const runtime::settings& settings);

}  // namespace muster::agent
