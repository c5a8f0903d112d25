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

async<json::object> peer_servers_client::request_one(
    std::string url, monotonic::duration timeout) const {
    CO_TRY(auto tls, deps_.tls.current());
    http::client::options options{.clock = &deps_.clock, .tls = std::move(tls)};
    options.limits.first_byte_time = 2 * timeout;  // the fan-out's timeout ends the request first
    http::client client(std::move(options));
    CO_TRY(const auto response, co_await client.send({.url = std::move(url)}));
    json::error_code failure;
    auto parsed = json::parse(response.body, failure);
    const bool is_valid = response.status == 200 && !failure && parsed.is_object();
    if (!is_valid)
        co_return fail(
            errc::unavailable, "server returned HTTP status " + std::to_string(response.status));
    co_return std::move(parsed.get_object());
}

async<peer_servers_client::responses> peer_servers_client::request_all(
    std::vector<cluster::server_record> servers,
    std::string path,
    monotonic::duration timeout) const {
    auto limits = limits_;
    limits.timeout = timeout;
    const fan_out requests(deps_.clock, limits);
    const auto request_server = [&](std::size_t index) {
        return request_one("https://" + servers[index].address + path, timeout);
    };
    co_return co_await requests.request_all<json::object>(servers.size(), request_server);
}

}  // namespace muster::api
