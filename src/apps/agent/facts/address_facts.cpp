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

struct freed_list {
    void operator()(ifaddrs* all) const { ::freeifaddrs(all); }
};

std::optional<std::string> address_text(const sockaddr& from) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    const char* result = nullptr;
    if (from.sa_family == AF_INET) {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(from);
        result = ::inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    } else if (from.sa_family == AF_INET6) {
        const auto& v6 = reinterpret_cast<const sockaddr_in6&>(from);
        if (IN6_IS_ADDR_LINKLOCAL(&v6.sin6_addr)) return std::nullopt;
        result = ::inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
    }
    if (result == nullptr) return std::nullopt;
    return result;
}

boost::json::array array_of(const std::set<std::string>& texts) {
    boost::json::array result;
    for (const auto& text : texts) result.emplace_back(text);
    return result;
}

}  // namespace

void add_address_facts(collection& to, const std::filesystem::path& root) {
    ifaddrs* first = nullptr;
    if (::getifaddrs(&first) != 0) return;
    const std::unique_ptr<ifaddrs, freed_list> all(first);
    std::map<std::string, std::set<std::string>> by_interface;
    std::set<std::string> every;
    for (const auto* each = first; each != nullptr; each = each->ifa_next) {
        if (each->ifa_addr == nullptr || (each->ifa_flags & IFF_LOOPBACK) != 0) continue;
        if (by_interface.size() == interfaces_max && !by_interface.contains(each->ifa_name))
            continue;
        const auto text = address_text(*each->ifa_addr);
        if (!text) continue;
        by_interface[each->ifa_name].insert(*text);
        every.insert(*text);
    }
    to.add("addresses", boost::json::value(array_of(every)));
    for (const auto& [name, addresses] : by_interface) {
        to.add("interfaces." + name + ".addresses", boost::json::value(array_of(addresses)));
        if (const auto mac = text_of(root / "sys/class/net" / name / "address"))
            to.add("interfaces." + name + ".mac", std::string_view(*mac));
    }
}

}  // namespace muster::agent
