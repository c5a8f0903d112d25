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
// Where PAM looks for the file of a service: the administrator's first, then those of packages.
constexpr std::array pam_directories{
    "/etc/pam.d", "/usr/etc/pam.d", "/usr/lib/pam.d", "/usr/share/pam.d"};

result<address> address_in(const std::string& host) {
    boost::system::error_code wrong;
    auto parsed = boost::asio::ip::make_address(host, wrong);
    if (wrong) return fail(errc::invalid, fmt::format("`{}` is not an IP address", host));
    return parsed;
}

result<void> check_name(const runtime::settings& settings) {
    const auto name = name_from(settings);
    auto fits = cluster::check_node_name(name);
    if (fits || settings.has("name")) return fits;
    return fail(
        errc::invalid,
        fmt::format("this host's name, `{}`, cannot be it: {}", name, fits.error().detail()));
}

result<void> check_listen(const runtime::settings& settings) {
    TRY(const auto where, net::parse_endpoint(settings.text("listen")));
    const auto at = address_in(where.host);
    if (at) return {};
    return fail(at.error().code(), at.error().detail() + "; listen on one, such as 0.0.0.0:8443");
}

result<void> check_health(const runtime::settings& settings) {
    TRY(const auto where, net::parse_endpoint(settings.text("health.listen")));
    TRY(const auto at, address_in(where.host));
    if (!at.is_loopback())
        return fail(
            errc::invalid,
            fmt::format(
                "`{}` is not on loopback, and HTTP without TLS is for loopback only, such as "
                "127.0.0.1:8444",
                settings.text("health.listen")));
    TRY(const auto front, net::parse_endpoint(settings.text("listen")));
    const auto open = address_in(front.host);
    const bool any = open && open->is_unspecified() && (open->is_v6() || at.is_v4());
    const bool covers = any || (open && *open == at);
    if (covers && where.port != 0 && front.port == where.port)
        return fail(errc::invalid, "it is the port of `listen`, too; choose another one");
    return {};
}

result<void> check_advertise(const runtime::settings& settings) {
    if (!settings.has("advertise")) return {};
    TRY(const auto where, net::parse_endpoint(settings.text("advertise")));
    const auto at = address_in(where.host);
    if (!at && where.host.contains(':')) return fail(at.error());
    if (where.port == 0 || (at && at->is_unspecified()))
        return fail(
            errc::invalid,
            fmt::format(
                "nobody can reach `{}`; write the name or address, and the port, that others use",
                settings.text("advertise")));
    return {};
}

result<void> check_certificates(const runtime::settings& settings, std::string_view name) {
    // A machine without the usual file has nobody to call over https.
    if (!settings.has(name) || settings.origin(name) == "default") return {};
    TRY(const auto text, os::load_file(settings.path(name)));
    if (name == "outbound.ca") return {};  // looked at for each call; who is trusted may come later
    const bool any = text.contains("-----BEGIN CERTIFICATE-----")
                     || text.contains("-----BEGIN TRUSTED CERTIFICATE-----");
    if (any) return {};
    return fail(errc::invalid, fmt::format("{} holds no certificate (PEM)", settings.text(name)));
}

// An invitation is not looked at any more once it was followed.
bool has_joined(const runtime::settings& settings) {
    std::error_code unknown;
    return fs::exists(settings.path("data") / "ca.pem", unknown) || unknown;
}

result<void> check_join(const runtime::settings& settings) {
    if (!settings.has("join") || has_joined(settings)) return {};
    return bootstrap::check_invitation(settings.text("join"));
}

result<void> check_join_file(const runtime::settings& settings) {
    if (!settings.has("join_file") || has_joined(settings)) return {};
    TRY(const auto text, bootstrap::invitation_in(settings.path("join_file")));
    return bootstrap::check_invitation(text);
}

// Raising what nobody set is no surprise; raising what somebody set is.
result<void> check_silence(const runtime::settings& settings) {
    const auto heartbeat = settings.duration("channel.heartbeat");
    const auto silence = settings.duration("channel.silence");
    if (settings.origin("channel.silence") == "default" || silence >= 2 * heartbeat) return {};
    return fail(
        errc::invalid,
        fmt::format(
            "{} is less than two heartbeats; with `channel.heartbeat` at {} it is at least {}",
            runtime::format_duration(silence),
            runtime::format_duration(heartbeat),
            runtime::format_duration(2 * heartbeat)));
}

// What is not there yet is made when there is something to archive; a disk may be mounted later.
result<void> check_archive(const runtime::settings& settings) {
    if (!settings.has("archive.directory")) return {};
    std::error_code unknown;
    auto there = fs::absolute(settings.path("archive.directory")).lexically_normal();
    while (!fs::exists(there, unknown) && there.has_relative_path()) there = there.parent_path();
    if (!fs::is_directory(there, unknown))
        return fail(errc::invalid, fmt::format("{} is not a directory", there.string()));
    return {};
}

result<void> check_pam(const runtime::settings& settings) {
    auto service = settings.optional_text("people.pam_service").value_or("");
    if (service.empty()) return {};
    if (service.contains('/')) return fail(errc::invalid, "it is a name, not a path");
    for (auto& letter : service)  // as PAM itself does
        letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    std::error_code unknown;
    const bool existing = std::ranges::any_of(pam_directories, [&](const char* directory) {
        return fs::exists(fs::path(directory) / service, unknown);
    });
    if (existing) return {};
    return fail(
        errc::not_found,
        fmt::format(
            "there is no {}/{}; write it, or name a service that is there",
            pam_directories.front(),
            service));
}

// With a CA of the moment: what cannot be put into a certificate shows before there is a cluster.
result<void> check_identity(const server_options& options) {
    const auto now = runtime::system_clock().wall();
    TRY(const auto trial, pki::authority::make("trial", now));
    const auto result = trial.issue(
        {.name = options.keys.name,
         .hosts = options.keys.hosts,
         .now = now,
         .valid_for = options.keys.lifetime});
    if (result) return {};
    return fail(result.error().within("a certificate for `name`, `listen` and `advertise`"));
}

class findings {
public:
    explicit findings(const runtime::settings& settings) : wanted_(settings) {}

    void take(const result<void>& checked) {
        if (!checked) all_.push_back(checked.error().detail());
    }
    void take(std::string_view name, const result<void>& checked) {
        if (checked) return;
        const auto where = wanted_.has(name) ? wanted_.origin(name) : "default";
        all_.push_back(fmt::format("{}: {}: {}", where, name, checked.error().detail()));
    }
    bool empty() const { return all_.empty(); }
    std::vector<std::string> all() && { return std::move(all_); }

private:
    const runtime::settings& wanted_;
    std::vector<std::string> all_;
};

}  // namespace

std::vector<std::string> check_settings(const runtime::settings& settings) {
    findings findings(settings);
    findings.take("name", check_name(settings));
    findings.take("listen", check_listen(settings));
    findings.take("health.listen", check_health(settings));
    findings.take("advertise", check_advertise(settings));
    const bool reachable = findings.empty();
    findings.take(check_engine_tls(settings));
    for (const auto* const each : certificate_settings)
        findings.take(each, check_certificates(settings, each));
    findings.take("join", check_join(settings));
    findings.take("join_file", check_join_file(settings));
    findings.take("channel.silence", check_silence(settings));
    findings.take("archive.directory", check_archive(settings));
    findings.take("people.pam_service", check_pam(settings));
    const auto existing = options_from(settings);
    if (existing && reachable) findings.take(check_identity(*existing));
    if (!existing) findings.take(fail(existing.error()));
    return std::move(findings).all();
}

}  // namespace muster::server
