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

bool on_this_machine(const std::string& host) {
    if (host.starts_with('/') || host.starts_with('@')) return true;  // a Unix socket
    if (host == "localhost") return true;
    boost::system::error_code no_address;
    const auto address = boost::asio::ip::make_address(host, no_address);
    return !no_address && address.is_loopback();
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

// Where the engine is; nothing when it is in this process.
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

struct link {
    std::string_view engine;
    bool by_tls;
    std::string_view cure;
};

result<void> check(const runtime::settings& settings, const link& to) {
    if (to.by_tls) return {};
    TRY(const auto hosts, hosts_of(settings, to.engine));
    const auto away = std::ranges::find_if_not(hosts, on_this_machine);
    if (away == hosts.end()) return {};
    return fail(
        errc::invalid,
        fmt::format(
            "`{}` is at {}, which is not this machine, and would be reached without TLS; {}, or "
            "set `engines.insecure` to true if nobody can listen on the way",
            to.engine,
            *away,
            to.cure));
}

}  // namespace

result<std::vector<endpoint>> engine_endpoints(const runtime::settings& settings) {
    std::vector<endpoint> all;
    for (const auto* const engine : {"metastore", "ledger", "bus"}) {
        TRY(auto some, endpoints_of(settings, engine));
        std::ranges::move(some, std::back_inserter(all));
    }
    return all;
}

result<void> check_engine_tls(const runtime::settings& settings) {
    if (settings.boolean("engines.insecure")) return {};
    const std::vector<link> links{
        {.engine = "metastore",
         .by_tls = settings.has("metastore.ca"),
         .cure = "name etcd's CA in `metastore.ca`"},
        {.engine = "ledger",
         .by_tls = settings.text("ledger.tls") != "off",
         .cure = "set `ledger.tls` to full"},
        {.engine = "bus",
         .by_tls = settings.has("bus.ca"),
         .cure = "name the bus's CA in `bus.ca`"},
    };
    for (const auto& each : links) {
        CHECK_OK(check(settings, each));
    }
    return {};
}

}  // namespace muster::server
