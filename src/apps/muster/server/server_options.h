#pragma once

#include "adapters/net/endpoint.h"
#include "adapters/net/http/limits.h"
#include "adapters/repository/repository_reader.h"
#include "services/bootstrap/keyring.h"
#include "core/revision/draft.h"
#include "core/rollout/plan.h"
#include "services/events/webhook_gate.h"
#include "services/fleet/enroller.h"
#include "api/peer/fan_out.h"
#include "api/agent/system_api.h"
#include "roles/node/connections/channel_loop.h"
#include "services/people/people_office.h"
#include "services/retention/retention_keeper.h"
#include "runtime/settings/settings.h"

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
    std::string join;                     // TOKEN@HOST:PORT; empty: none
    std::filesystem::path join_file;      // what holds that; empty: none
    api::fan_out_limits asking = {};  // other servers
    monotonic::duration plan_interval{};
    std::size_t moves_per_step = 0;
    rollout::safe_limit jobs = {};
    job_limits job_bounds = {};
    retention::retention_keeper::options retention = {};
    std::chrono::hours presence_kept{};  // where systems were
    std::filesystem::path authorities;   // that whoever is called over https is trusted by
    events::webhook_gate::options webhooks = {};
    repository::repository_reader::options repositories = {};
    monotonic::duration calendar_refresh{};  // zero: only on demand
    revision::editing_rules edits = {};
    node::channel_options channels = {};
    fleet::enroller::options enrolment = {};
    api::system_api::options entry = {};
    net::http::limits http = {};
    people::people_office::options people = {};
    std::string pam_service;  // empty: no user is one of PAM
    keyring::options keys = {};
    monotonic::duration drain_patience{};
    monotonic::duration clock_jump_max{};

    bool has_role(std::string_view role) const;
    // Where a browser on this machine finds the server.
    std::string local_url() const;
};

// The server's name: the host's when none is set.
std::string name_from(const runtime::settings& wanted);

result<server_options> options_from(const runtime::settings& wanted);

}  // namespace muster::server
