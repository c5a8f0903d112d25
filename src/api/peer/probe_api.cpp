#include "api/peer/probe_api.h"

#include "adapters/net/endpoint.h"
#include "adapters/net/http/client.h"
#include "api/operations/json_body.h"
#include "ports/deadline.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::api {
namespace {

namespace http = net::http;
namespace json = boost::json;

constexpr std::size_t body_bytes_max = 1024;

}  // namespace

result<void> probe_api::add_routes(http::router& routes) {
    return routes.add(
        "POST",
        "/cluster/probe",
        {.handle = [this](http::request request) { return probe(std::move(request)); },
         .allowed = http::caller::cluster_server,
         .body_bytes_max = body_bytes_max});
}

// Any response counts: a server that reports "not ready" is reachable.
async<bool> probe_api::is_reachable(std::string address) const {
    CO_TRY(auto tls, tls_.current());
    http::client client({.clock = &clock_, .tls = std::move(tls)});
    http::client_request probe_request{.url = "https://" + address + "/healthz"};
    const auto response =
        co_await within(clock_, options_.timeout, client.send(std::move(probe_request)));
    if (!response && response.error().code() == errc::cancelled) co_return fail(response.error());
    co_return response.has_value();
}

async<http::response> probe_api::probe(http::request request) {
    CO_TRY(const auto text, co_await request.body());
    CO_TRY(auto body, json_body::parse(text));
    CO_TRY(const auto address, body.text("address"));
    CO_CHECK_OK(body.finish());
    CO_CHECK_OK(net::parse_endpoint(address));
    CO_TRY(const bool reached, co_await is_reachable(address));
    co_return http::json(200, json::serialize(json::object{{"reached", reached}}));
}

async<bool> probe_api::request_probe(cluster::server_record peer, std::string address) const {
    CO_TRY(auto tls, tls_.current());
    http::client client({.clock = &clock_, .tls = std::move(tls)});
    http::client_request probe_request{
        .method = "POST",
        .url = "https://" + peer.address + "/cluster/probe",
        .body = json::serialize(json::object{{"address", address}})};
    CO_TRY(
        const auto response,
        co_await within(clock_, 2 * options_.timeout, client.send(std::move(probe_request))));
    json::error_code failure;
    const auto parsed = json::parse(response.body, failure);
    const auto* object = failure ? nullptr : parsed.if_object();
    const auto* reached = object == nullptr ? nullptr : object->if_contains("reached");
    if (response.status != 200 || reached == nullptr || !reached->is_bool())
        co_return fail(errc::corrupt, "invalid probe response from the peer");
    co_return reached->as_bool();
}

}  // namespace muster::api
