#include "api/peer/peer_servers_client.h"

#include "adapters/net/http/client.h"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace muster::api {
namespace {

namespace http = net::http;
namespace json = boost::json;

}  // namespace

async<json::object> peer_servers_client::ask_one(
    std::string url, monotonic::duration timeout) const {
    CO_TRY(auto tls, deps_.tls.current());
    http::client::options options{.clock = &deps_.clock, .tls = std::move(tls)};
    options.allowed.first_byte_time = 2 * timeout;  // the fan-out's own comes first
    http::client through(std::move(options));
    CO_TRY(const auto answered, co_await through.send({.url = std::move(url)}));
    json::error_code failure;
    auto parsed = json::parse(answered.body, failure);
    const bool told = answered.status == 200 && !failure && parsed.is_object();
    if (!told)
        co_return fail(errc::unavailable, "the server answered " + std::to_string(answered.status));
    co_return std::move(parsed.get_object());
}

async<peer_servers_client::answers> peer_servers_client::ask(
    std::vector<cluster::server_record> servers,
    std::string path,
    monotonic::duration timeout) const {
    auto allowed = allowed_;
    allowed.timeout = timeout;
    const fan_out all(deps_.clock, allowed);
    const auto one = [&](std::size_t at) {
        return ask_one("https://" + servers[at].address + path, timeout);
    };
    co_return co_await all.ask<json::object>(servers.size(), one);
}

}  // namespace muster::api
