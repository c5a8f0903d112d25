#include "services/events/webhook_address_policy.h"

#include "adapters/net/http/url.h"
#include "adapters/net/outbound_address_policy.h"
#include "adapters/resolver/resolver.h"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <utility>

namespace muster::events {
namespace {

namespace ip = boost::asio::ip;
namespace http = net::http;

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](char letter) {
        return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    });
    // A trailing dot does not change a name.
    if (text.ends_with('.')) text.pop_back();
    return text;
}

bool same_host(const std::string& name, const std::string& other) {
    if (is_this_machine(name) && is_this_machine(other)) return true;
    return lower(name) == lower(other);
}

std::unexpected<error> closed_address() {
    return fail(errc::invalid, "`url` must not point to a server or an engine of the cluster");
}

std::vector<ip::address> plain_addresses(const resolver::addresses& addresses) {
    std::vector<ip::address> normalized;
    for (const auto& address : addresses) normalized.push_back(net::normalize(address.address()));
    return normalized;
}

}  // namespace

bool is_this_machine(const std::string& host) {
    const auto name = lower(host);
    if (name == "localhost" || name.ends_with(".localhost")) return true;
    boost::system::error_code no_address;
    const auto address = ip::make_address(name, no_address);
    return !no_address && net::normalize(address).is_loopback();
}

std::vector<endpoint> webhook_address_policy::closed_with_port(std::uint16_t port) const {
    auto closed = options_.closed;
    if (topology_ != nullptr)
        std::ranges::move(
            cluster::server_addresses(*topology_->read()), std::back_inserter(closed));
    std::erase_if(closed, [&](const endpoint& endpoint) { return endpoint.port != port; });
    return closed;
}

result<void> webhook_address_policy::check(const std::string& url) const {
    TRY(const auto read, http::parse_url(url));
    if (read.transport == http::url::security::none && !options_.plain_http)
        return fail(
            errc::invalid,
            "`url` must begin with https://; set `webhooks.plain_http` to allow plain http to this "
            "machine");
    const auto closed = closed_with_port(read.address.port);
    const auto match = std::ranges::find_if(closed, [&](const endpoint& endpoint) {
        return same_host(endpoint.host, read.address.host);
    });
    if (match != closed.end()) return closed_address();
    return {};
}

// The name may resolve to another address by the time of the connection. That does no harm: https
// requires a certificate for the name.
async<void> webhook_address_policy::check_resolved(std::string url) const {
    CO_CHECK_OK(check(url));
    CO_TRY(const auto read, http::parse_url(url));
    const auto closed = closed_with_port(read.address.port);
    if (closed.empty()) co_return result<void>();
    const resolver::query target{.host = read.address.host, .port = read.address.port};
    CO_TRY(const auto resolved, co_await resolver::resolve(target));
    const auto target_addresses = plain_addresses(resolved);
    for (const auto& endpoint : closed) {
        const resolver::query query{.host = endpoint.host, .port = endpoint.port};
        const auto closed_addresses = co_await resolver::resolve(query);
        if (!closed_addresses && closed_addresses.error().code() == errc::cancelled)
            co_return fail(closed_addresses.error());
        if (!closed_addresses) continue;  // an unresolvable name cannot be reached either
        for (const auto& address : plain_addresses(*closed_addresses))
            if (std::ranges::find(target_addresses, address) != target_addresses.end())
                co_return closed_address();
    }
    co_return result<void>();
}

}  // namespace muster::events
