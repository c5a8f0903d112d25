#include "adapters/ledger/postgres/hosts.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <libpq-fe.h>
#include <memory>
#include <string_view>

namespace muster::ledger_postgres {
namespace {

struct free_options {
    void operator()(PQconninfoOption* all) const { PQconninfoFree(all); }
};
using options_handle = std::unique_ptr<PQconninfoOption, free_options>;

std::string value_in(const options_handle& all, std::string_view keyword) {
    for (const auto* each = all.get(); each != nullptr && each->keyword != nullptr; ++each) {
        if (each->keyword == keyword && each->val != nullptr) return each->val;
    }
    return {};
}

std::vector<std::string> members_of(std::string_view list) {
    std::vector<std::string> members;
    while (true) {
        const auto comma = list.find(',');
        members.emplace_back(list.substr(0, comma));
        if (comma == std::string_view::npos) return members;
        list.remove_prefix(comma + 1);
    }
}

// What libpq takes where nothing else is said.
constexpr std::uint16_t port_default = 5432;

// One port for each of so many hosts: their own, or one for all, or the usual one.
result<std::vector<std::string>> ports_of(
    const options_handle& input, const options_handle& defaults, std::size_t count) {
    auto listed = value_in(input, "port");
    if (listed.empty()) listed = value_in(defaults, "port");
    auto ports = members_of(listed);
    if (ports.size() == 1) ports.resize(count, ports.front());
    if (ports.size() != count)
        return fail(
            errc::invalid, "the address of PostgreSQL needs one port, or one for each host");
    for (auto& port : ports)
        if (port.empty()) port = std::to_string(port_default);
    return ports;
}

std::uint16_t port_in(const std::string& text) {
    std::uint16_t port = port_default;
    std::from_chars(text.data(), text.data() + text.size(), port);
    return port;
}

}  // namespace

result<std::vector<std::string>> hosts_of(const std::string& address) {
    const options_handle input(PQconninfoParse(address.c_str(), nullptr));
    // libpq's own words would repeat the address.
    if (!input) return fail(errc::invalid, "the address of PostgreSQL cannot be read");
    const options_handle defaults(PQconndefaults());
    // An address is where it connects to; a host beside it is only the name to be checked.
    for (const auto* keyword : {"hostaddr", "host"}) {
        if (const auto match = value_in(input, keyword); !match.empty()) return members_of(match);
    }
    for (const auto* keyword : {"hostaddr", "host"}) {
        if (const auto match = value_in(defaults, keyword); !match.empty())
            return members_of(match);
    }
    return std::vector<std::string>{"/"};  // its own directory of Unix sockets
}

result<std::vector<endpoint>> endpoints_of(const std::string& address) {
    TRY(const auto hosts, hosts_of(address));
    const options_handle input(PQconninfoParse(address.c_str(), nullptr));
    const options_handle defaults(PQconndefaults());
    auto listed = value_in(input, "port");
    if (listed.empty()) listed = value_in(defaults, "port");
    // One for all, or one for each.
    const auto ports = members_of(listed);
    std::vector<endpoint> endpoints;
    for (std::size_t at = 0; at < hosts.size(); ++at) {
        if (hosts[at].starts_with('/') || hosts[at].starts_with('@')) continue;
        endpoints.push_back(
            {.host = hosts[at], .port = port_in(at < ports.size() ? ports[at] : ports.front())});
    }
    return endpoints;
}

result<std::vector<place>> places_of(const std::string& address) {
    const options_handle input(PQconninfoParse(address.c_str(), nullptr));
    if (!input) return fail(errc::invalid, "the address of PostgreSQL cannot be read");
    const options_handle defaults(PQconndefaults());
    const bool named = !value_in(input, "host").empty() || !value_in(input, "hostaddr").empty();
    const auto& from = named ? input : defaults;
    const auto hosts = members_of(value_in(from, "host"));
    const auto addresses = members_of(value_in(from, "hostaddr"));
    const auto count = std::max(hosts.size(), addresses.size());
    // An address for each host, or for none.
    if (addresses.size() != count && addresses != std::vector<std::string>{""})
        return fail(errc::invalid, "the address of PostgreSQL has more hosts than addresses");
    if (hosts.size() != count && hosts != std::vector<std::string>{""})
        return fail(errc::invalid, "the address of PostgreSQL has more addresses than hosts");
    TRY(const auto ports, ports_of(input, defaults, count));
    std::vector<place> places;
    for (std::size_t at = 0; at < count; ++at) {
        places.push_back(
            {.host = at < hosts.size() ? hosts[at] : "",
             .address = at < addresses.size() ? addresses[at] : "",
             .port = ports[at]});
    }
    return places;
}

}  // namespace muster::ledger_postgres
