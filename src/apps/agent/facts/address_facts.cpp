#include "apps/agent/facts/sources.h"

#include <arpa/inet.h>
#include <boost/json/array.hpp>
#include <net/if.h>
#include <netinet/in.h>

#include <array>
#include <ifaddrs.h>
#include <map>
#include <memory>
#include <set>

namespace muster::agent {
namespace {

constexpr std::size_t interfaces_max = 64;

struct free_interfaces {
    void operator()(ifaddrs* interfaces) const { ::freeifaddrs(interfaces); }
};

std::optional<std::string> to_text(const sockaddr& address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    const char* result = nullptr;
    if (address.sa_family == AF_INET) {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
        result = ::inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    } else if (address.sa_family == AF_INET6) {
        const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
        if (IN6_IS_ADDR_LINKLOCAL(&v6.sin6_addr)) return std::nullopt;
        result = ::inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
    }
    if (result == nullptr) return std::nullopt;
    return result;
}

boost::json::array to_array(const std::set<std::string>& texts) {
    boost::json::array result;
    for (const auto& text : texts) result.emplace_back(text);
    return result;
}

}  // namespace

void add_address_facts(fact_builder& facts, const std::filesystem::path& root) {
    ifaddrs* first = nullptr;
    if (::getifaddrs(&first) != 0) return;
    const std::unique_ptr<ifaddrs, free_interfaces> interfaces(first);
    std::map<std::string, std::set<std::string>> by_interface;
    std::set<std::string> all_addresses;
    for (const auto* interface = first; interface != nullptr; interface = interface->ifa_next) {
        if (interface->ifa_addr == nullptr || (interface->ifa_flags & IFF_LOOPBACK) != 0) continue;
        if (by_interface.size() == interfaces_max && !by_interface.contains(interface->ifa_name))
            continue;
        const auto text = to_text(*interface->ifa_addr);
        if (!text) continue;
        by_interface[interface->ifa_name].insert(*text);
        all_addresses.insert(*text);
    }
    facts.add("addresses", boost::json::value(to_array(all_addresses)));
    for (const auto& [name, addresses] : by_interface) {
        facts.add("interfaces." + name + ".addresses", boost::json::value(to_array(addresses)));
        if (const auto mac = read_text(root / "sys/class/net" / name / "address"))
            facts.add("interfaces." + name + ".mac", std::string_view(*mac));
    }
}

}  // namespace muster::agent
