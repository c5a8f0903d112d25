#include "apps/muster/server/engine_tls_check.h"

#include "adapters/ledger/postgres/hosts.h"
#include "runtime/engine_url.h"

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace muster::server {
namespace {

bool is_local(const std::string& host) {
    if (host.starts_with('/') || host.starts_with('@')) return true;  // a Unix socket
    if (host == "localhost") return true;
    boost::system::error_code parse_error;
    const auto address = boost::asio::ip::make_address(host, parse_error);
    return !parse_error && address.is_loopback();
}

std::vector<std::string> hosts_of(const std::vector<endpoint>& members) {
    std::vector<std::string> hosts;
    for (const auto& member : members) hosts.push_back(member.host);
    return hosts;
}

result<std::vector<endpoint>> endpoints_of(
    const runtime::settings& settings, std::string_view name) {
    if (!settings.has(name)) return std::vector<endpoint>();
    TRY(const auto url, runtime::parse_engine_url(settings.text(name)));
    if (const auto* etcd = std::get_if<runtime::etcd_url>(&url)) return etcd->members;
    if (const auto* nats = std::get_if<runtime::nats_url>(&url)) return nats->members;
    if (const auto* postgres = std::get_if<runtime::postgresql_url>(&url))
        return ledger_postgres::endpoints_of(postgres->text);
    return std::vector<endpoint>();
}

// The hosts of an engine; empty if it is in this process.
result<std::vector<std::string>> hosts_of(
    const runtime::settings& settings, std::string_view name) {
    if (!settings.has(name)) return std::vector<std::string>();
    TRY(const auto url, runtime::parse_engine_url(settings.text(name)));
    if (const auto* etcd = std::get_if<runtime::etcd_url>(&url)) return hosts_of(etcd->members);
    if (const auto* nats = std::get_if<runtime::nats_url>(&url)) return hosts_of(nats->members);
    if (const auto* postgres = std::get_if<runtime::postgresql_url>(&url))
        return ledger_postgres::hosts_of(postgres->text);
    return std::vector<std::string>();
}

struct engine_link {
    std::string_view engine;
    bool uses_tls;
    std::string_view remedy;
};

result<void> check(const runtime::settings& settings, const engine_link& link) {
    if (link.uses_tls) return {};
    TRY(const auto hosts, hosts_of(settings, link.engine));
    const auto remote = std::ranges::find_if_not(hosts, is_local);
    if (remote == hosts.end()) return {};
    return fail(
        errc::invalid,
        fmt::format(
            "`{}` uses the remote host {} without TLS; {}, or set `engines.insecure` to true if "
            "the network is trusted",
            link.engine,
            *remote,
            link.remedy));
}

}  // namespace

result<std::vector<endpoint>> engine_endpoints(const runtime::settings& settings) {
    std::vector<endpoint> endpoints;
    for (const auto* const engine : {"metastore", "ledger", "bus"}) {
        TRY(auto engine_members, endpoints_of(settings, engine));
        std::ranges::move(engine_members, std::back_inserter(endpoints));
    }
    return endpoints;
}

result<void> check_engine_tls(const runtime::settings& settings) {
    if (settings.boolean("engines.insecure")) return {};
    const std::vector<engine_link> links{
        {.engine = "metastore",
         .uses_tls = settings.has("metastore.ca"),
         .remedy = "set `metastore.ca` to the file with etcd's CA"},
        {.engine = "ledger",
         .uses_tls = settings.text("ledger.tls") != "off",
         .remedy = "set `ledger.tls` to full"},
        {.engine = "bus",
         .uses_tls = settings.has("bus.ca"),
         .remedy = "set `bus.ca` to the file with the bus's CA"},
    };
    for (const auto& link : links) {
        CHECK_OK(check(settings, link));
    }
    return {};
}

}  // namespace muster::server
