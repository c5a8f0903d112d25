#include "apps/muster/server/server_options.h"

#include "adapters/net/event_loops.h"
#include "apps/muster/server/engine_tls_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <unistd.h>

namespace muster::server {
namespace {

constexpr std::size_t host_name_bytes_max = 256;

std::string host_name() {
    std::array<char, host_name_bytes_max> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) return "localhost";
    return name.data();
}

bool is_any_address(const std::string& host) {
    return host == "0.0.0.0" || host == "::" || host == "*";
}

net::endpoint advertised_endpoint(
    const runtime::settings& settings, const server_options& options) {
    if (settings.has("advertise")) {
        const auto endpoint = net::parse_endpoint(settings.text("advertise"));
        if (endpoint) return *endpoint;
    }
    if (!is_any_address(options.listen.host)) return options.listen;
    return {.host = options.name, .port = options.listen.port};
}

net::http::limits http_limits(const runtime::settings& settings) {
    net::http::limits limits;
    limits.body_bytes_max = settings.count("http.body_max");
    limits.connections_max = settings.count("http.connections_max");
    limits.connections_per_address_max = settings.count("http.connections_per_address_max");
    limits.idle_time = settings.duration("http.idle_timeout");
    return limits;
}

node::connection_options read_connections(const runtime::settings& settings) {
    node::connection_options options;
    options.gate.rate = static_cast<std::uint32_t>(settings.count("node.attach_rate"));
    options.attached_max = settings.count("node.attached_max");
    options.terms.heartbeat_interval = settings.duration("agent.heartbeat_interval");
    options.terms.heartbeat_timeout = std::max(
        settings.duration("agent.heartbeat_timeout"), 2 * options.terms.heartbeat_interval);
    return options;
}

constexpr int enrolment_factor = 10;

access::rate rate_per_second(std::size_t count) {
    constexpr std::size_t burst_seconds = 10;
    return {
        .interval = std::chrono::nanoseconds(std::chrono::seconds(1)) / count,
        .burst = static_cast<std::uint32_t>(count * burst_seconds)};
}

result<std::vector<lifecycle::network>> read_networks(std::string_view text) {
    std::vector<lifecycle::network> networks;
    while (!text.empty()) {
        const auto end = std::min(text.find(','), text.size());
        const auto parsed = lifecycle::network::parse(text.substr(0, end));
        if (!parsed) return fail(parsed.error().with_context("agents.shared_addresses"));
        networks.push_back(*parsed);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return networks;
}

result<api::agent_entry_api::options> read_agent_entry(const runtime::settings& settings) {
    api::agent_entry_api::options options;
    const auto address_rate = rate_per_second(settings.count("agents.requests_per_address"));
    for (auto* const limit : {&options.status, &options.enrol, &options.place})
        limit->each = address_rate;
    // An enrolment may leave a row behind, so its rate is lower.
    options.enrol.each.interval *= enrolment_factor;
    options.placement_pace.turns = rate_per_second(settings.count("agents.placement_rate"));
    TRY(options.proxies,
        read_networks(settings.optional_text("agents.shared_addresses").value_or("")));
    return options;
}

std::chrono::seconds whole_seconds(monotonic::duration duration) {
    return std::chrono::ceil<std::chrono::seconds>(duration);
}

result<std::vector<std::filesystem::path>> read_directories(std::string_view text) {
    std::vector<std::filesystem::path> directories;
    while (!text.empty()) {
        const auto end = std::min(text.find(','), text.size());
        std::filesystem::path directory(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!directory.is_absolute())
            return fail(
                errc::invalid,
                "content.directories: \"" + directory.string() + "\" is not an absolute path");
        directories.push_back(std::move(directory));
    }
    return directories;
}

std::vector<std::string> certificate_hosts(
    const server_options& options, const net::endpoint& advertised) {
    std::vector<std::string> hosts{"localhost", "127.0.0.1", "::1"};
    for (const auto& host : {options.listen.host, advertised.host, host_name()}) {
        if (!is_any_address(host) && std::ranges::find(hosts, host) == hosts.end())
            hosts.push_back(host);
    }
    return hosts;
}

void read_jobs(const runtime::settings& settings, muster::roles::server_roles::options& options) {
    const auto open_max = settings.count("jobs.open_max");
    options.management.jobs.safe = {
        .targets_min = settings.count("jobs.default_batch_threshold"),
        .batch = settings.count("jobs.default_batch")};
    options.management.jobs.open_max = open_max;
    options.node.open_jobs_max = open_max;
    options.node.node_points = settings.count("jobs.node_tasks_max");
    options.node.system_points =
        static_cast<std::uint32_t>(settings.count("jobs.system_tasks_max"));
}

void read_enrolment(
    const runtime::settings& settings, muster::roles::server_roles::options& options) {
    options.management.enrolment.pool_max = settings.count("keys.pool_max");
    options.management.enrolment.rule_acceptances =
        rate_per_second(settings.count("keys.rule_rate"));
}

void read_retention(const runtime::settings& settings, server_options& options) {
    const auto presence =
        std::chrono::ceil<std::chrono::hours>(settings.duration("retention.presence"));
    options.services.driver.retention.presence_retention = presence;
    options.services.gateway.presence_retention = presence;
    options.services.driver.retention.jobs = {
        .keep = std::chrono::ceil<std::chrono::hours>(settings.duration("retention.jobs")),
        .archive = settings.optional_text("archive.directory").value_or(""),
        .server = options.name};
}

void read_people(const runtime::settings& settings, server_options& options) {
    options.people.sessions.session_lifetime = whole_seconds(settings.duration("session.lifetime"));
    options.people.sessions.idle_limit = whole_seconds(settings.duration("session.idle_limit"));
    options.people.checks.attempts.failures_max = settings.count("login.attempts_max");
    options.people.checks.lock.failures_max =
        static_cast<std::uint32_t>(settings.count("login.lock_after"));
    options.pam_service = settings.optional_text("people.pam_service").value_or("");
}

// Limits the servers that this server calls: never its own ports and engines.
result<void> read_outbound(
    const runtime::settings& settings,
    const std::vector<net::endpoint>& own_endpoints,
    muster::roles::server_roles::options& options) {
    const std::filesystem::path authorities = settings.text("outbound.ca");
    TRY(auto closed_endpoints, engine_endpoints(settings));
    closed_endpoints.insert(closed_endpoints.end(), own_endpoints.begin(), own_endpoints.end());
    options.management.authorities = authorities;
    options.management.webhooks = {
        .plain_http = settings.boolean("webhooks.plain_http"), .closed = closed_endpoints};
    options.management.closed_addresses = std::move(closed_endpoints);
    options.management.repositories.authorities = authorities;
    TRY(options.management.repositories.directories,
        read_directories(settings.optional_text("content.directories").value_or("")));
    options.management.repositories.addresses.allow_loopback = settings.boolean("content.loopback");
    return {};
}

}  // namespace

bool server_options::has_role(std::string_view role) const {
    return std::ranges::find(roles, role) != roles.end();
}

std::string server_options::local_url() const {
    const net::endpoint local{
        .host = is_any_address(listen.host) ? "127.0.0.1" : listen.host, .port = listen.port};
    return fmt::format("https://{}/", to_string(local));
}

std::string name_from(const runtime::settings& settings) {
    return settings.optional_text("name").value_or(host_name());
}

result<server_options> options_from(const runtime::settings& settings) {
    server_options options;
    options.name = name_from(settings);
    TRY(options.listen, net::parse_endpoint(settings.text("listen")));
    TRY(options.health, net::parse_endpoint(settings.text("health.listen")));
    const auto advertised = advertised_endpoint(settings, options);
    options.advertise = to_string(advertised);
    options.roles = settings.list("roles");
    options.loops = settings.has("http.event_loops") ? settings.count("http.event_loops")
                                                     : net::event_loops::count_default();
    options.lease_ttl = whole_seconds(settings.duration("lease.ttl"));
    options.join = settings.optional_text("join").value_or("");
    if (settings.has("join_file")) options.join_file = settings.path("join_file");
    if (!options.join.empty() && !options.join_file.empty())
        return fail(errc::invalid, "`join` and `join_file` are mutually exclusive; remove one");
    auto& services = options.services;
    services.server.peers.timeout = settings.duration("gateway.peer_timeout");
    services.gateway.peers = services.server.peers;
    services.gateway.version = MUSTER_VERSION;
    services.gateway.edits = {
        .single = settings.boolean("edits.single"),
        .idle_limit = whole_seconds(settings.duration("edits.idle_limit"))};
    services.driver.plan_interval = settings.duration("driver.plan_interval");
    services.driver.moves_per_step = settings.count("driver.moves_per_step");
    services.driver.calendar_refresh = settings.duration("windows.refresh");
    services.node.connections = read_connections(settings);
    TRY(services.management.entry, read_agent_entry(settings));
    services.node.connections.proxies = services.management.entry.proxies;
    read_jobs(settings, services);
    read_enrolment(settings, services);
    read_retention(settings, options);
    CHECK_OK(read_outbound(settings, {options.listen, options.health, advertised}, services));
    options.http = http_limits(settings);
    read_people(settings, options);
    options.keys = {
        .name = options.name,
        .hosts = certificate_hosts(options, advertised),
        .lifetime = whole_seconds(settings.duration("certificate.lifetime"))};
    options.drain_timeout = settings.duration("drain.timeout");
    options.clock_jump_max = settings.duration("clock.jump_max");
    return options;
}

}  // namespace muster::server
