#pragma once

#include "adapters/net/endpoint.h"
#include "adapters/net/http/limits.h"
#include "roles/assembly/server_roles.h"
#include "runtime/settings/settings.h"
#include "services/bootstrap/certificate_files.h"
#include "services/people/people_services.h"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace muster::server {

// The settings of a server with defaults applied: names, addresses and limits.
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
    muster::roles::server_roles::options services = {};
    net::http::limits http = {};
    people::people_services::options people = {};
    std::string pam_service;  // empty: PAM is not used
    bootstrap::certificate_files::options keys = {};
    monotonic::duration drain_timeout{};
    monotonic::duration clock_jump_max{};

    bool has_role(std::string_view role) const;
    // The URL for a browser on this machine.
    std::string local_url() const;
};

// The name of the server; the host name if none is set.
std::string name_from(const runtime::settings& settings);

result<server_options> options_from(const runtime::settings& settings);

}  // namespace muster::server
