#include "apps/muster/server/settings_check.h"

#include "adapters/os/file.h"
#include "apps/muster/server/engine_links.h"
#include "services/bootstrap/joining.h"
#include "apps/muster/server/server_options.h"
#include "services/cluster/topology_record.h"
#include "runtime/clock.h"
#include "runtime/settings/units.h"

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

result<void> check_name(const runtime::settings& wanted) {
    const auto name = name_from(wanted);
    auto fits = cluster::check_node_name(name);
    if (fits || wanted.has("name")) return fits;
    return fail(
        errc::invalid,
        fmt::format("this host's name, `{}`, cannot be it: {}", name, fits.error().detail()));
}

result<void> check_listen(const runtime::settings& wanted) {
    TRY(const auto where, net::parse_endpoint(wanted.text("listen")));
    const auto at = address_in(where.host);
    if (at) return {};
    return fail(at.error().code(), at.error().detail() + "; listen on one, such as 0.0.0.0:8443");
}

result<void> check_health(const runtime::settings& wanted) {
    TRY(const auto where, net::parse_endpoint(wanted.text("health.listen")));
    TRY(const auto at, address_in(where.host));
    if (!at.is_loopback())
        return fail(
            errc::invalid,
            fmt::format(
                "`{}` is not on loopback, and HTTP without TLS is for loopback only, such as "
                "127.0.0.1:8444",
                wanted.text("health.listen")));
    TRY(const auto front, net::parse_endpoint(wanted.text("listen")));
    const auto open = address_in(front.host);
    const bool any = open && open->is_unspecified() && (open->is_v6() || at.is_v4());
    const bool covers = any || (open && *open == at);
    if (covers && where.port != 0 && front.port == where.port)
        return fail(errc::invalid, "it is the port of `listen`, too; choose another one");
    return {};
}

result<void> check_advertise(const runtime::settings& wanted) {
    if (!wanted.has("advertise")) return {};
    TRY(const auto where, net::parse_endpoint(wanted.text("advertise")));
    const auto at = address_in(where.host);
    if (!at && where.host.contains(':')) return fail(at.error());
    if (where.port == 0 || (at && at->is_unspecified()))
        return fail(
            errc::invalid,
            fmt::format(
                "nobody can reach `{}`; write the name or address, and the port, that others use",
                wanted.text("advertise")));
    return {};
}

result<void> check_certificates(const runtime::settings& wanted, std::string_view name) {
    // A machine without the usual file has nobody to call over https.
    if (!wanted.has(name) || wanted.origin(name) == "default") return {};
    TRY(const auto text, os::load_file(wanted.path(name)));
    if (name == "outbound.ca") return {};  // looked at for each call; who is trusted may come later
    const bool any = text.contains("-----BEGIN CERTIFICATE-----")
                     || text.contains("-----BEGIN TRUSTED CERTIFICATE-----");
    if (any) return {};
    return fail(errc::invalid, fmt::format("{} holds no certificate (PEM)", wanted.text(name)));
}

// An invitation is not looked at any more once it was followed.
bool has_joined(const runtime::settings& wanted) {
    std::error_code unknown;
    return fs::exists(wanted.path("data") / "ca.pem", unknown) || unknown;
}

result<void> check_join(const runtime::settings& wanted) {
    if (!wanted.has("join") || has_joined(wanted)) return {};
    return check_invitation(wanted.text("join"));
}

result<void> check_join_file(const runtime::settings& wanted) {
    if (!wanted.has("join_file") || has_joined(wanted)) return {};
    TRY(const auto text, invitation_in(wanted.path("join_file")));
    return check_invitation(text);
}

// Raising what nobody set is no surprise; raising what somebody set is.
result<void> check_silence(const runtime::settings& wanted) {
    const auto heartbeat = wanted.duration("channel.heartbeat");
    const auto silence = wanted.duration("channel.silence");
    if (wanted.origin("channel.silence") == "default" || silence >= 2 * heartbeat) return {};
    return fail(
        errc::invalid,
        fmt::format(
            "{} is less than two heartbeats; with `channel.heartbeat` at {} it is at least {}",
            runtime::format_duration(silence),
            runtime::format_duration(heartbeat),
            runtime::format_duration(2 * heartbeat)));
}

// What is not there yet is made when there is something to archive; a disk may be mounted later.
result<void> check_archive(const runtime::settings& wanted) {
    if (!wanted.has("archive.directory")) return {};
    std::error_code unknown;
    auto there = fs::absolute(wanted.path("archive.directory")).lexically_normal();
    while (!fs::exists(there, unknown) && there.has_relative_path()) there = there.parent_path();
    if (!fs::is_directory(there, unknown))
        return fail(errc::invalid, fmt::format("{} is not a directory", there.string()));
    return {};
}

result<void> check_pam(const runtime::settings& wanted) {
    auto service = wanted.optional_text("people.pam_service").value_or("");
    if (service.empty()) return {};
    if (service.contains('/')) return fail(errc::invalid, "it is a name, not a path");
    for (auto& letter : service)  // as PAM itself does
        letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    std::error_code unknown;
    const bool known = std::ranges::any_of(pam_directories, [&](const char* directory) {
        return fs::exists(fs::path(directory) / service, unknown);
    });
    if (known) return {};
    return fail(
        errc::not_found,
        fmt::format(
            "there is no {}/{}; write it, or name a service that is there",
            pam_directories.front(),
            service));
}

// With a CA of the moment: what cannot be put into a certificate shows before there is a cluster.
result<void> check_identity(const server_options& known) {
    const auto now = runtime::system_clock().wall();
    TRY(const auto trial, pki::authority::make("trial", now));
    const auto made = trial.issue(
        {.name = known.keys.name,
         .hosts = known.keys.hosts,
         .now = now,
         .valid_for = known.keys.lifetime});
    if (made) return {};
    return fail(made.error().within("a certificate for `name`, `listen` and `advertise`"));
}

class findings {
public:
    explicit findings(const runtime::settings& wanted) : wanted_(wanted) {}

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

std::vector<std::string> check_settings(const runtime::settings& wanted) {
    findings found(wanted);
    found.take("name", check_name(wanted));
    found.take("listen", check_listen(wanted));
    found.take("health.listen", check_health(wanted));
    found.take("advertise", check_advertise(wanted));
    const bool reachable = found.empty();
    found.take(check_engine_links(wanted));
    for (const auto* const each : certificate_settings)
        found.take(each, check_certificates(wanted, each));
    found.take("join", check_join(wanted));
    found.take("join_file", check_join_file(wanted));
    found.take("channel.silence", check_silence(wanted));
    found.take("archive.directory", check_archive(wanted));
    found.take("people.pam_service", check_pam(wanted));
    const auto known = options_from(wanted);
    if (known && reachable) found.take(check_identity(*known));
    if (!known) found.take(fail(known.error()));
    return std::move(found).all();
}

}  // namespace muster::server
