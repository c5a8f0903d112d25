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
    void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};
using options_handle = std::unique_ptr<PQconninfoOption, free_options>;

std::string find_value(const options_handle& options, std::string_view keyword) {
    for (const auto* option = options.get(); option != nullptr && option->keyword != nullptr;
         ++option) {
        if (option->keyword == keyword && option->val != nullptr) return option->val;
    }
    return {};
}

std::vector<std::string> split_list(std::string_view list) {
    std::vector<std::string> members;
    while (true) {
        const auto comma = list.find(',');
        members.emplace_back(list.substr(0, comma));
        if (comma == std::string_view::npos) return members;
        list.remove_prefix(comma + 1);
    }
}

// libpq's default.
constexpr std::uint16_t port_default = 5432;

// One port for each of `count` hosts: their own, or one for all, or the default.
result<std::vector<std::string>> read_ports(
    const options_handle& input, const options_handle& defaults, std::size_t count) {
    auto list = find_value(input, "port");
    if (list.empty()) list = find_value(defaults, "port");
    auto ports = split_list(list);
    if (ports.size() == 1) ports.resize(count, ports.front());
    if (ports.size() != count)
        return fail(errc::invalid, "PostgreSQL address must have one port, or one for each host");
    for (auto& port : ports)
        if (port.empty()) port = std::to_string(port_default);
    return ports;
}

std::uint16_t parse_port(const std::string& text) {
    std::uint16_t port = port_default;
    std::from_chars(text.data(), text.data() + text.size(), port);
    return port;
}

}  // namespace

result<std::vector<std::string>> hosts_of(const std::string& address) {
    const options_handle input(PQconninfoParse(address.c_str(), nullptr));
    // Not libpq's message, because it repeats the address.
    if (!input) return fail(errc::invalid, "malformed PostgreSQL address");
    const options_handle defaults(PQconndefaults());
    // libpq connects to `hostaddr`; `host` is then only the name in the certificate.
    for (const auto* keyword : {"hostaddr", "host"}) {
        if (const auto value = find_value(input, keyword); !value.empty()) return split_list(value);
    }
    for (const auto* keyword : {"hostaddr", "host"}) {
        if (const auto value = find_value(defaults, keyword); !value.empty())
            return split_list(value);
    }
    return std::vector<std::string>{"/"};  // its own directory of Unix sockets
}

result<std::vector<endpoint>> endpoints_of(const std::string& address) {
    TRY(const auto hosts, hosts_of(address));
    const options_handle input(PQconninfoParse(address.c_str(), nullptr));
    const options_handle defaults(PQconndefaults());
    auto list = find_value(input, "port");
    if (list.empty()) list = find_value(defaults, "port");
    // One for all, or one for each.
    const auto ports = split_list(list);
    std::vector<endpoint> endpoints;
    for (std::size_t index = 0; index < hosts.size(); ++index) {
        if (hosts[index].starts_with('/') || hosts[index].starts_with('@')) continue;
        endpoints.push_back(
            {.host = hosts[index],
             .port = parse_port(index < ports.size() ? ports[index] : ports.front())});
    }
    return endpoints;
}

result<std::vector<host_address>> host_addresses_of(const std::string& address) {
    const options_handle input(PQconninfoParse(address.c_str(), nullptr));
    if (!input) return fail(errc::invalid, "malformed PostgreSQL address");
    const options_handle defaults(PQconndefaults());
    const bool has_host =
        !find_value(input, "host").empty() || !find_value(input, "hostaddr").empty();
    const auto& source = has_host ? input : defaults;
    const auto hosts = split_list(find_value(source, "host"));
    const auto addresses = split_list(find_value(source, "hostaddr"));
    const auto count = std::max(hosts.size(), addresses.size());
    // An address for each host, or for none.
    if (addresses.size() != count && addresses != std::vector<std::string>{""})
        return fail(errc::invalid, "PostgreSQL address has more hosts than addresses");
    if (hosts.size() != count && hosts != std::vector<std::string>{""})
        return fail(errc::invalid, "PostgreSQL address has more addresses than hosts");
    TRY(const auto ports, read_ports(input, defaults, count));
    std::vector<host_address> result;
    for (std::size_t index = 0; index < count; ++index) {
        result.push_back(
            {.host = index < hosts.size() ? hosts[index] : "",
             .address = index < addresses.size() ? addresses[index] : "",
             .port = ports[index]});
    }
    return result;
}

}  // namespace muster::ledger_postgres
