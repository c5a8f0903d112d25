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

bool any_address(const std::string& host) {
    return host == "0.0.0.0" || host == "::" || host == "*";
}

net::endpoint reached_at(const runtime::settings& settings, const server_options& options) {
    if (settings.has("advertise")) {
        const auto endpoint = net::parse_endpoint(settings.text("advertise"));
        if (endpoint) return *endpoint;
    }
    if (!any_address(options.listen.host)) return options.listen;
    return {.host = options.name, .port = options.listen.port};
}

net::http::limits http_limits(const runtime::settings& settings) {
    net::http::limits allowed;
    allowed.body_bytes_max = settings.count("http.body_max");
    allowed.connections_max = settings.count("http.connections_max");
    allowed.connections_per_address_max = settings.count("http.connections_per_address_max");
    allowed.idle_time = settings.duration("http.idle_timeout");
    return allowed;
}

node::channel_options channels_of(const runtime::settings& settings) {
    node::channel_options options;
    options.gate.rate = static_cast<std::uint32_t>(settings.count("node.attach_rate"));
    options.attached_max = settings.count("node.attached_max");
    options.terms.heartbeat = settings.duration("channel.heartbeat");
    options.terms.silence =
        std::max(settings.duration("channel.silence"), 2 * options.terms.heartbeat);
    return options;
}

constexpr int enrolments_are_rarer = 10;

access::rate times_a_second(std::size_t count) {
    constexpr std::size_t seconds_at_once = 10;
    return {
        .interval = std::chrono::nanoseconds(std::chrono::seconds(1)) / count,
        .burst = static_cast<std::uint32_t>(count * seconds_at_once)};
}

result<std::vector<lifecycle::network>> networks_in(std::string_view text) {
    std::vector<lifecycle::network> networks;
    while (!text.empty()) {
        const auto end = std::min(text.find(','), text.size());
        const auto parsed = lifecycle::network::parse(text.substr(0, end));
        if (!parsed) return fail(parsed.error().within("system.proxies"));
        networks.push_back(*parsed);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return networks;
}

result<api::agent_entry_api::options> entry_of(const runtime::settings& settings) {
    api::agent_entry_api::options options;
    const auto of_one = times_a_second(settings.count("system.address_rate"));
    for (auto* const each : {&options.status, &options.enrol, &options.place}) each->each = of_one;
    // Whoever enrols may leave a row behind.
    options.enrol.each.interval *= enrolments_are_rarer;
    options.pace.turns = times_a_second(settings.count("system.places_rate"));
    TRY(options.proxies, networks_in(settings.optional_text("system.proxies").value_or("")));
    return options;
}

std::chrono::seconds whole_seconds(monotonic::duration span) {
    return std::chrono::ceil<std::chrono::seconds>(span);
}

result<std::vector<std::filesystem::path>> directories_in(std::string_view text) {
    std::vector<std::filesystem::path> all;
    while (!text.empty()) {
        const auto end = std::min(text.find(','), text.size());
        std::filesystem::path name(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!name.is_absolute())
            return fail(
                errc::invalid,
                "content.directories: `" + name.string() + "` is not the path of a directory");
        all.push_back(std::move(name));
    }
    return all;
}

std::vector<std::string> certificate_hosts(
    const server_options& options, const net::endpoint& reached) {
    std::vector<std::string> hosts{"localhost", "127.0.0.1", "::1"};
    for (const auto& each : {options.listen.host, reached.host, host_name()}) {
        if (!any_address(each) && std::ranges::find(hosts, each) == hosts.end())
            hosts.push_back(each);
    }
    return hosts;
}

void read_jobs(const runtime::settings& settings, muster::roles::server_roles::options& to) {
    const auto open_max = settings.count("jobs.open_max");
    to.management.jobs.safe = {
        .targets = settings.count("jobs.safe_limit"), .batch = settings.count("jobs.safe_batch")};
    to.management.jobs.open_max = open_max;
    to.node.open_jobs_max = open_max;
    to.node.node_points = settings.count("jobs.node_points");
    to.node.system_points = static_cast<std::uint32_t>(settings.count("jobs.system_points"));
}

void read_enrolment(const runtime::settings& settings, muster::roles::server_roles::options& to) {
    to.management.enrolment.pool_max = settings.count("keys.pool_max");
    to.management.enrolment.rule_acceptances = times_a_second(settings.count("keys.rule_rate"));
}

void read_retention(const runtime::settings& settings, server_options& options) {
    const auto presence =
        std::chrono::ceil<std::chrono::hours>(settings.duration("retention.presence"));
    options.services.driver.retention.presence_kept = presence;
    options.services.gateway.presence_kept = presence;
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

// Whom it calls by itself, and never: its own ports and the engines.
result<void> read_outbound(
    const runtime::settings& settings,
    const std::vector<net::endpoint>& own,
    muster::roles::server_roles::options& to) {
    const std::filesystem::path authorities = settings.text("outbound.ca");
    TRY(auto closed, engine_endpoints(settings));
    closed.insert(closed.end(), own.begin(), own.end());
    to.management.authorities = authorities;
    to.management.webhooks = {
        .plain_http = settings.boolean("webhooks.plain_http"), .closed = closed};
    to.management.closed_addresses = std::move(closed);
    to.management.repositories.authorities = authorities;
    TRY(to.management.repositories.directories,
        directories_in(settings.optional_text("content.directories").value_or("")));
    to.management.repositories.addresses.loopback = settings.boolean("content.loopback");
    return {};
}

}  // namespace

bool server_options::has_role(std::string_view role) const {
    return std::ranges::find(roles, role) != roles.end();
}

std::string server_options::local_url() const {
    const net::endpoint local{
        .host = any_address(listen.host) ? "127.0.0.1" : listen.host, .port = listen.port};
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
    const auto reached = reached_at(settings, options);
    options.advertise = to_string(reached);
    options.roles = settings.list("roles");
    options.loops =
        settings.has("loops") ? settings.count("loops") : net::event_loops::count_default();
    options.lease_ttl = whole_seconds(settings.duration("lease.ttl"));
    options.join = settings.optional_text("join").value_or("");
    if (settings.has("join_file")) options.join_file = settings.path("join_file");
    if (!options.join.empty() && !options.join_file.empty())
        return fail(errc::invalid, "`join` and `join_file` are both set: which one is meant?");
    auto& services = options.services;
    services.server.peers.timeout = settings.duration("gateway.answer_time");
    services.gateway.peers = services.server.peers;
    services.gateway.version = MUSTER_VERSION;
    services.gateway.edits = {
        .single = settings.boolean("edits.single"),
        .idle_limit = whole_seconds(settings.duration("edits.idle_limit"))};
    services.driver.plan_interval = settings.duration("driver.plan_interval");
    services.driver.moves_per_step = settings.count("driver.moves_per_step");
    services.driver.calendar_refresh = settings.duration("windows.refresh");
    services.node.connections = channels_of(settings);
    TRY(services.management.entry, entry_of(settings));
    services.node.connections.proxies = services.management.entry.proxies;
    read_jobs(settings, services);
    read_enrolment(settings, services);
    read_retention(settings, options);
    CHECK_OK(read_outbound(settings, {options.listen, options.health, reached}, services));
    options.http = http_limits(settings);
    read_people(settings, options);
    options.keys = {
        .name = options.name,
        .hosts = certificate_hosts(options, reached),
        .lifetime = whole_seconds(settings.duration("certificate.lifetime"))};
    options.drain_timeout = settings.duration("drain.timeout");
    options.clock_jump_max = settings.duration("clock.jump_max");
    return options;
}

}  // namespace muster::server
