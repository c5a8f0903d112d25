#include "apps/muster/server/settings_check.h"

#include "adapters/os/file.h"
#include "apps/muster/server/engine_tls_check.h"
#include "apps/muster/server/server_options.h"
#include "runtime/clock.h"
#include "runtime/settings/units.h"
#include "services/bootstrap/cluster_join_client.h"
#include "services/cluster/topology_record.h"

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace muster::server {
namespace {

namespace fs = std::filesystem;
using address = boost::asio::ip::address;

constexpr std::array certificate_settings{
    "metastore.ca",
    "metastore.certificate",
    "ledger.ca",
    "ledger.certificate",
    "bus.ca",
    "bus.certificate",
    "outbound.ca",
};
// Directories of PAM services: the administrator's first, then those of packages.
constexpr std::array pam_directories{
    "/etc/pam.d", "/usr/etc/pam.d", "/usr/lib/pam.d", "/usr/share/pam.d"};

result<address> parse_address(const std::string& host) {
    boost::system::error_code failure;
    auto parsed = boost::asio::ip::make_address(host, failure);
    if (failure) return fail(errc::invalid, fmt::format("\"{}\" is not an IP address", host));
    return parsed;
}

result<void> check_name(const runtime::settings& settings) {
    const auto name = name_from(settings);
    auto valid = cluster::check_node_name(name);
    if (valid || settings.has("name")) return valid;
    return fail(
        errc::invalid,
        fmt::format(
            "host name \"{}\" cannot be used as server name; set `name`: {}",
            name,
            valid.error().detail()));
}

result<void> check_listen(const runtime::settings& settings) {
    TRY(const auto endpoint, net::parse_endpoint(settings.text("listen")));
    const auto address = parse_address(endpoint.host);
    if (address) return {};
    return fail(
        address.error().code(),
        address.error().detail() + "; use an IP address and a port, such as 0.0.0.0:8443");
}

result<void> check_health(const runtime::settings& settings) {
    TRY(const auto endpoint, net::parse_endpoint(settings.text("health.listen")));
    TRY(const auto health_address, parse_address(endpoint.host));
    if (!health_address.is_loopback())
        return fail(
            errc::invalid,
            fmt::format(
                "\"{}\" is not a loopback address; health is served without TLS; use a loopback "
                "address such as 127.0.0.1:8444",
                settings.text("health.listen")));
    TRY(const auto listen, net::parse_endpoint(settings.text("listen")));
    const auto listen_address = parse_address(listen.host);
    const bool is_any = listen_address && listen_address->is_unspecified()
                        && (listen_address->is_v6() || health_address.is_v4());
    const bool covers = is_any || (listen_address && *listen_address == health_address);
    if (covers && endpoint.port != 0 && listen.port == endpoint.port)
        return fail(errc::invalid, "same port as `listen`; use another port");
    return {};
}

result<void> check_advertise(const runtime::settings& settings) {
    if (!settings.has("advertise")) return {};
    TRY(const auto endpoint, net::parse_endpoint(settings.text("advertise")));
    const auto address = parse_address(endpoint.host);
    if (!address && endpoint.host.contains(':')) return fail(address.error());
    if (endpoint.port == 0 || (address && address->is_unspecified()))
        return fail(
            errc::invalid,
            fmt::format(
                "\"{}\" is not reachable for other servers; use a host name or address and a port "
                "that they can connect to",
                settings.text("advertise")));
    return {};
}

result<void> check_certificates(const runtime::settings& settings, std::string_view name) {
    // Without the default file there are no trusted servers for outbound HTTPS.
    if (!settings.has(name) || settings.origin(name) == "default") return {};
    TRY(const auto text, os::load_file(settings.path(name)));
    if (name == "outbound.ca") return {};  // read for each call; may be empty at the start
    const bool has_certificate = text.contains("-----BEGIN CERTIFICATE-----")
                                 || text.contains("-----BEGIN TRUSTED CERTIFICATE-----");
    if (has_certificate) return {};
    return fail(
        errc::invalid, fmt::format("file \"{}\" contains no PEM certificate", settings.text(name)));
}

// A join token is ignored once the server has joined.
bool has_joined(const runtime::settings& settings) {
    std::error_code failure;
    return fs::exists(settings.path("data") / "ca.pem", failure) || failure;
}

result<void> check_join(const runtime::settings& settings) {
    if (!settings.has("join") || has_joined(settings)) return {};
    return bootstrap::check_join_target(settings.text("join"));
}

result<void> check_join_file(const runtime::settings& settings) {
    if (!settings.has("join_file") || has_joined(settings)) return {};
    TRY(const auto text, bootstrap::read_join_file(settings.path("join_file")));
    return bootstrap::check_join_target(text);
}

// Only an explicit value is checked; the default is raised silently.
result<void> check_silence(const runtime::settings& settings) {
    const auto heartbeat = settings.duration("agent.heartbeat_interval");
    const auto silence = settings.duration("agent.heartbeat_timeout");
    if (settings.origin("agent.heartbeat_timeout") == "default" || silence >= 2 * heartbeat)
        return {};
    return fail(
        errc::invalid,
        fmt::format(
            "{} is less than two heartbeat intervals; with `agent.heartbeat_interval` at {} the "
            "minimum is {}",
            runtime::format_duration(silence),
            runtime::format_duration(heartbeat),
            runtime::format_duration(2 * heartbeat)));
}

// A missing directory is created by the first archive; a disk may be mounted later.
result<void> check_archive(const runtime::settings& settings) {
    if (!settings.has("archive.directory")) return {};
    std::error_code failure;
    auto existing_parent = fs::absolute(settings.path("archive.directory")).lexically_normal();
    while (!fs::exists(existing_parent, failure) && existing_parent.has_relative_path())
        existing_parent = existing_parent.parent_path();
    if (!fs::is_directory(existing_parent, failure))
        return fail(errc::invalid, fmt::format("{} is not a directory", existing_parent.string()));
    return {};
}

result<void> check_pam(const runtime::settings& settings) {
    auto service = settings.optional_text("people.pam_service").value_or("");
    if (service.empty()) return {};
    if (service.contains('/'))
        return fail(errc::invalid, "value must be a service name, not a path");
    for (auto& letter : service)  // as PAM itself does
        letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    std::error_code failure;
    const bool found = std::ranges::any_of(pam_directories, [&](const char* directory) {
        return fs::exists(fs::path(directory) / service, failure);
    });
    if (found) return {};
    return fail(
        errc::not_found,
        fmt::format(
            "PAM service file \"{}/{}\" not found; create the file or use an existing service",
            pam_directories.front(),
            service));
}

// Issues a certificate with a temporary CA, so that invalid names show before there is a cluster.
result<void> check_identity(const server_options& options) {
    const auto now = runtime::system_clock().wall();
    TRY(const auto authority, pki::authority::create("trial", now));
    const auto result = authority.issue(
        {.name = options.keys.name,
         .hosts = options.keys.hosts,
         .now = now,
         .valid_for = options.keys.lifetime});
    if (result) return {};
    return fail(result.error().with_context(
        "cannot issue a certificate for `name`, `listen` and `advertise`"));
}

class settings_problems {
public:
    explicit settings_problems(const runtime::settings& settings) : settings_(settings) {}

    void add(const result<void>& checked) {
        if (!checked) messages_.push_back(checked.error().detail());
    }
    void add(std::string_view name, const result<void>& checked) {
        if (checked) return;
        const auto origin = settings_.has(name) ? settings_.origin(name) : "default";
        messages_.push_back(fmt::format("{}: {}: {}", origin, name, checked.error().detail()));
    }
    bool empty() const { return messages_.empty(); }
    std::vector<std::string> messages() && { return std::move(messages_); }

private:
    const runtime::settings& settings_;
    std::vector<std::string> messages_;
};

}  // namespace

std::vector<std::string> check_settings(const runtime::settings& settings) {
    settings_problems settings_problems(settings);
    settings_problems.add("name", check_name(settings));
    settings_problems.add("listen", check_listen(settings));
    settings_problems.add("health.listen", check_health(settings));
    settings_problems.add("advertise", check_advertise(settings));
    const bool reachable = settings_problems.empty();
    settings_problems.add(check_engine_tls(settings));
    for (const auto* const name : certificate_settings)
        settings_problems.add(name, check_certificates(settings, name));
    settings_problems.add("join", check_join(settings));
    settings_problems.add("join_file", check_join_file(settings));
    settings_problems.add("agent.heartbeat_timeout", check_silence(settings));
    settings_problems.add("archive.directory", check_archive(settings));
    settings_problems.add("people.pam_service", check_pam(settings));
    const auto options = options_from(settings);
    if (options && reachable) settings_problems.add(check_identity(*options));
    if (!options) settings_problems.add(fail(options.error()));
    return std::move(settings_problems).messages();
}

}  // namespace muster::server
