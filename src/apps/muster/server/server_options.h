#pragma once

#include "adapters/net/endpoint.h"
#include "adapters/net/http/limits.h"
#include "adapters/repository/repository_reader.h"
#include "api/agent/agent_entry_api.h"
#include "api/peer/fan_out.h"
#include "core/revision/draft.h"
#include "core/rollout/plan.h"
#include "roles/node/connections/agent_connection_loop.h"
#include "runtime/settings/settings.h"
#include "services/bootstrap/certificate_files.h"
#include "services/events/webhook_address_policy.h"
#include "services/fleet/enrolment_service.h"
#include "services/people/people_services.h"
#include "services/retention/job_record_pruner.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace muster::server {

// What jobs may use of the cluster, of this node and of a system.
struct job_limits {
    std::size_t open_max = 0;
    std::uint64_t node_points = 0;
    std::uint32_t system_points = 0;
};

// What the settings mean for a server: names and addresses filled in, limits gathered.
struct server_options {
    std::string name;
    std::string advertise;  // "host:port"
    net::endpoint listen;
    net::endpoint health;
    std::vector<std::string> roles;
    std::size_t loops = 1;
    std::chrono::seconds lease_ttl{10};
    std::string join;                 // TOKEN@HOST:PORT; empty: none
    std::filesystem::path join_file;  // what holds that; empty: none
    api::fan_out_limits asking = {};  // other servers
    monotonic::duration plan_interval{};
    std::size_t moves_per_step = 0;
    rollout::safe_limit jobs = {};
    job_limits job_bounds = {};
    retention::job_record_pruner::options retention = {};
    std::chrono::hours presence_kept{};  // where systems were
    std::filesystem::path authorities;   // that whoever is called over https is trusted by
    events::webhook_address_policy::options webhooks = {};
    repository::repository_reader::options repositories = {};
    monotonic::duration calendar_refresh{};  // zero: only on demand
    revision::editing_rules edits = {};
    node::channel_options channels = {};
    fleet::enrolment_service::options enrolment = {};
    api::agent_entry_api::options entry = {};
    net::http::limits http = {};
    people::people_services::options people = {};
    std::string pam_service;  // empty: no user is one of PAM
    bootstrap::certificate_files::options keys = {};
    monotonic::duration drain_patience{};
    monotonic::duration clock_jump_max{};

    bool has_role(std::string_view role) const;
    // Where a browser on this machine finds the server.
    std::string local_url() const;
};

// The server's name: the host's when none is set.
std::string name_from(const runtime::settings& settings);

result<server_options> options_from(const runtime::settings& settings);

}  // namespace muster::server
