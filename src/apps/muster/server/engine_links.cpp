#include "apps/muster/server/engine_links.h"

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
    for (const auto& each : members) hosts.push_back(each.host);
    return hosts;
}

result<std::vector<endpoint>> endpoints_of(const runtime::settings& wanted, std::string_view name) {
    if (!wanted.has(name)) return std::vector<endpoint>();
    TRY(const auto url, runtime::parse_engine_url(wanted.text(name)));
    if (const auto* etcd = std::get_if<runtime::etcd_url>(&url)) return etcd->members;
    if (const auto* nats = std::get_if<runtime::nats_url>(&url)) return nats->members;
    if (const auto* postgres = std::get_if<runtime::postgresql_url>(&url))
        return ledger_postgres::endpoints_of(postgres->text);
    return std::vector<endpoint>();
}

// Where the engine is; nothing when it is in this process.
result<std::vector<std::string>> hosts_of(const runtime::settings& wanted, std::string_view name) {
    if (!wanted.has(name)) return std::vector<std::string>();
    TRY(const auto url, runtime::parse_engine_url(wanted.text(name)));
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

result<void> check(const runtime::settings& wanted, const link& to) {
    if (to.by_tls) return {};
    TRY(const auto hosts, hosts_of(wanted, to.engine));
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

result<std::vector<endpoint>> engine_endpoints(const runtime::settings& wanted) {
    std::vector<endpoint> all;
    for (const auto* const engine : {"metastore", "ledger", "bus"}) {
        TRY(auto some, endpoints_of(wanted, engine));
        std::ranges::move(some, std::back_inserter(all));
    }
    return all;
}

result<void> check_engine_links(const runtime::settings& wanted) {
    if (wanted.boolean("engines.insecure")) return {};
    const std::vector<link> links{
        {.engine = "metastore",
         .by_tls = wanted.has("metastore.ca"),
         .cure = "name etcd's CA in `metastore.ca`"},
        {.engine = "ledger",
         .by_tls = wanted.text("ledger.tls") != "off",
         .cure = "set `ledger.tls` to full"},
        {.engine = "bus", .by_tls = wanted.has("bus.ca"), .cure = "name the bus's CA in `bus.ca`"},
    };
    for (const auto& each : links) {
        CHECK_OK(check(wanted, each));
    }
    return {};
}

}  // namespace muster::server
