#include "api/peer/servers_line.h"

#include "adapters/net/http/client.h"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace muster::api {
namespace {

namespace http = net::http;
namespace json = boost::json;

}  // namespace

async<json::object> servers_line::ask_one(std::string url, monotonic::duration patience) const {
    CO_TRY(auto tls, around_.tls());
    http::client::options how{.time = &around_.time, .tls = std::move(tls)};
    how.allowed.first_byte_time = 2 * patience;  // the fan-out's own comes first
    http::client through(std::move(how));
    CO_TRY(const auto answered, co_await through.send({.url = std::move(url)}));
    json::error_code failure;
    auto parsed = json::parse(answered.body, failure);
    const bool told = answered.status == 200 && !failure && parsed.is_object();
    if (!told)
        co_return fail(errc::unavailable, "the server answered " + std::to_string(answered.status));
    co_return std::move(parsed.get_object());
}

async<servers_line::answers> servers_line::ask(
    std::vector<cluster::server_record> whom,
    std::string path,
    monotonic::duration patience) const {
    auto allowed = allowed_;
    allowed.patience = patience;
    const fan_out all(around_.time, allowed);
    const auto one = [&](std::size_t at) {
        return ask_one("https://" + whom[at].address + path, patience);
    };
    co_return co_await all.ask<json::object>(whom.size(), one);
}

}  // namespace muster::api
