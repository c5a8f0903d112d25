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
    std::ranges::transform(text, text.begin(), [](char each) {
        return each >= 'A' && each <= 'Z' ? static_cast<char>(each - 'A' + 'a') : each;
    });
    // With a dot at its end a name is the same.
    if (text.ends_with('.')) text.pop_back();
    return text;
}

bool same_host(const std::string& name, const std::string& other) {
    if (is_this_machine(name) && is_this_machine(other)) return true;
    return lower(name) == lower(other);
}

std::unexpected<error> closed_address() {
    return fail(
        errc::invalid,
        "`url` leads to a server of the cluster or to one of its engines, which webhooks never do");
}

std::vector<ip::address> plain_addresses(const resolver::addresses& addresses) {
    std::vector<ip::address> all;
    for (const auto& address : addresses) all.push_back(net::one_spelling(address.address()));
    return all;
}

}  // namespace

bool is_this_machine(const std::string& host) {
    const auto name = lower(host);
    if (name == "localhost" || name.ends_with(".localhost")) return true;
    boost::system::error_code no_address;
    const auto address = ip::make_address(name, no_address);
    return !no_address && net::one_spelling(address).is_loopback();
}

std::vector<endpoint> webhook_address_policy::closed_with_port(std::uint16_t port) const {
    auto all = options_.closed;
    if (topology_ != nullptr)
        std::ranges::move(cluster::server_addresses(*topology_->read()), std::back_inserter(all));
    std::erase_if(all, [&](const endpoint& endpoint) { return endpoint.port != port; });
    return all;
}

result<void> webhook_address_policy::check(const std::string& url) const {
    TRY(const auto read, http::parse_url(url));
    if (read.over == http::url::security::none && !options_.plain_http)
        return fail(
            errc::invalid,
            "`url` must begin with https://; plain http, to this machine alone, is for servers "
            "with `webhooks.plain_http`");
    const auto closed = closed_with_port(read.where.port);
    const auto meant = std::ranges::find_if(closed, [&](const endpoint& endpoint) {
        return same_host(endpoint.host, read.where.host);
    });
    if (meant != closed.end()) return closed_address();
    return {};
}

// A name that stands for something else by the time of the connection does no harm: over https
// nobody is told anything who has no certificate for the name.
async<void> webhook_address_policy::check_reached(std::string url) const {
    CO_CHECK_OK(check(url));
    CO_TRY(const auto read, http::parse_url(url));
    const auto closed = closed_with_port(read.where.port);
    if (closed.empty()) co_return result<void>();
    const resolver::question target{.host = read.where.host, .port = read.where.port};
    CO_TRY(const auto match, co_await resolver::resolve(target));
    const auto reached = plain_addresses(match);
    for (const auto& each : closed) {
        const resolver::question question{.host = each.host, .port = each.port};
        const auto there = co_await resolver::resolve(question);
        if (!there && there.error().code() == errc::cancelled) co_return fail(there.error());
        if (!there) continue;  // nobody can be led there by a name, either
        for (const auto& address : plain_addresses(*there))
            if (std::ranges::find(reached, address) != reached.end()) co_return closed_address();
    }
    co_return result<void>();
}

}  // namespace muster::events
