#include "apps/muster/server/server_options.h"

#include "adapters/net/event_loops.h"
#include "apps/muster/server/engine_links.h"

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

net::endpoint reached_at(const runtime::settings& wanted, const server_options& known) {
    if (wanted.has("advertise")) {
        const auto given = net::parse_endpoint(wanted.text("advertise"));
        if (given) return *given;
    }
    if (!any_address(known.listen.host)) return known.listen;
    return {.host = known.name, .port = known.listen.port};
}

net::http::limits http_limits(const runtime::settings& wanted) {
    net::http::limits allowed;
    allowed.body_bytes_max = wanted.count("http.body_max");
    allowed.connections_max = wanted.count("http.connections_max");
    allowed.connections_per_address_max = wanted.count("http.connections_per_address_max");
    allowed.idle_time = wanted.duration("http.idle_timeout");
    return allowed;
}

node::channel_options channels_of(const runtime::settings& wanted) {
    node::channel_options how;
    how.gate.rate = static_cast<std::uint32_t>(wanted.count("node.attach_rate"));
    how.attached_max = wanted.count("node.attached_max");
    how.terms.heartbeat = wanted.duration("channel.heartbeat");
    how.terms.silence = std::max(wanted.duration("channel.silence"), 2 * how.terms.heartbeat);
    return how;
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

result<api::system_api::options> entry_of(const runtime::settings& wanted) {
    api::system_api::options how;
    const auto of_one = times_a_second(wanted.count("system.address_rate"));
    for (auto* const each : {&how.status, &how.enrol, &how.place}) each->each = of_one;
    // Whoever enrols may leave a row behind.
    how.enrol.each.interval *= enrolments_are_rarer;
    how.pace.turns = times_a_second(wanted.count("system.places_rate"));
    TRY(how.proxies, networks_in(wanted.optional_text("system.proxies").value_or("")));
    return how;
}

std::chrono::seconds whole_seconds(monotonic::duration span) {
    return std::chrono::ceil<std::chrono::seconds>(span);
}

result<std::vector<std::filesystem::path>> directories_in(std::string_view text) {
    std::vector<std::filesystem::path> all;
    while (!text.empty()) {
        const auto end = std::min(text.find(','), text.size());
        std::filesystem::path one(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!one.is_absolute())
            return fail(
                errc::invalid,
                "content.directories: `" + one.string() + "` is not the path of a directory");
        all.push_back(std::move(one));
    }
    return all;
}

std::vector<std::string> certificate_hosts(
    const server_options& known, const net::endpoint& reached) {
    std::vector<std::string> hosts{"localhost", "127.0.0.1", "::1"};
    for (const auto& each : {known.listen.host, reached.host, host_name()}) {
        if (!any_address(each) && std::ranges::find(hosts, each) == hosts.end())
            hosts.push_back(each);
    }
    return hosts;
}

void read_jobs(const runtime::settings& wanted, server_options& known) {
    known.jobs = {
        .targets = wanted.count("jobs.safe_limit"), .batch = wanted.count("jobs.safe_batch")};
    known.job_bounds = {
        .open_max = wanted.count("jobs.open_max"),
        .node_points = wanted.count("jobs.node_points"),
        .system_points = static_cast<std::uint32_t>(wanted.count("jobs.system_points"))};
}

void read_people(const runtime::settings& wanted, server_options& known) {
    known.people.sessions.session_lifetime = whole_seconds(wanted.duration("session.lifetime"));
    known.people.sessions.idle_limit = whole_seconds(wanted.duration("session.idle_limit"));
    known.people.checks.attempts.failures_max = wanted.count("login.attempts_max");
    known.people.checks.lock.failures_max =
        static_cast<std::uint32_t>(wanted.count("login.lock_after"));
    known.pam_service = wanted.optional_text("people.pam_service").value_or("");
}

// Whom it calls by itself.
result<void> read_outbound(const runtime::settings& wanted, server_options& known) {
    known.authorities = wanted.text("outbound.ca");
    known.webhooks.plain_http = wanted.boolean("webhooks.plain_http");
    TRY(known.webhooks.closed, engine_endpoints(wanted));
    known.repositories.authorities = known.authorities;
    TRY(known.repositories.directories,
        directories_in(wanted.optional_text("content.directories").value_or("")));
    known.repositories.addresses.loopback = wanted.boolean("content.loopback");
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

std::string name_from(const runtime::settings& wanted) {
    return wanted.optional_text("name").value_or(host_name());
}

result<server_options> options_from(const runtime::settings& wanted) {
    server_options known;
    known.name = name_from(wanted);
    TRY(known.listen, net::parse_endpoint(wanted.text("listen")));
    TRY(known.health, net::parse_endpoint(wanted.text("health.listen")));
    const auto reached = reached_at(wanted, known);
    known.advertise = to_string(reached);
    known.roles = wanted.list("roles");
    known.loops = wanted.has("loops") ? wanted.count("loops") : net::event_loops::count_default();
    known.lease_ttl = whole_seconds(wanted.duration("lease.ttl"));
    known.join = wanted.optional_text("join").value_or("");
    if (wanted.has("join_file")) known.join_file = wanted.path("join_file");
    if (!known.join.empty() && !known.join_file.empty())
        return fail(errc::invalid, "`join` and `join_file` are both set: which one is meant?");
    known.asking.patience = wanted.duration("gateway.answer_time");
    known.plan_interval = wanted.duration("driver.plan_interval");
    known.moves_per_step = wanted.count("driver.moves_per_step");
    read_jobs(wanted, known);
    known.calendar_refresh = wanted.duration("windows.refresh");
    known.edits = {
        .single = wanted.boolean("edits.single"),
        .idle_limit = whole_seconds(wanted.duration("edits.idle_limit"))};
    known.retention.keep = std::chrono::ceil<std::chrono::hours>(wanted.duration("retention.jobs"));
    known.presence_kept =
        std::chrono::ceil<std::chrono::hours>(wanted.duration("retention.presence"));
    known.retention.archive = wanted.optional_text("archive.directory").value_or("");
    known.retention.server = known.name;
    CHECK_OK(read_outbound(wanted, known));
    for (const auto& each : {known.listen, known.health, reached})
        known.webhooks.closed.push_back(each);
    known.channels = channels_of(wanted);
    known.enrolment.pool_max = wanted.count("keys.pool_max");
    known.enrolment.rule_acceptances = times_a_second(wanted.count("keys.rule_rate"));
    TRY(known.entry, entry_of(wanted));
    known.channels.proxies = known.entry.proxies;
    known.http = http_limits(wanted);
    read_people(wanted, known);
    known.keys = {
        .name = known.name,
        .hosts = certificate_hosts(known, reached),
        .lifetime = whole_seconds(wanted.duration("certificate.lifetime"))};
    known.drain_patience = wanted.duration("drain.timeout");
    known.clock_jump_max = wanted.duration("clock.jump_max");
    return known;
}

}  // namespace muster::server
