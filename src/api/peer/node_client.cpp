#include "api/peer/node_client.h"

#include "ports/deadline.h"

#include <utility>

namespace muster::api {
namespace {

using namespace std::chrono_literals;
namespace http = net::http;

constexpr auto response_timeout = 10s;  // an agent has five seconds
// A node sends something every second.
constexpr http::client_limits stream_limits{
    .connect_time = 3s, .first_byte_time = 5s, .stall_time = 10s};

}  // namespace

result<node_client::node_location> node_client::locate(system_number system) const {
    const auto record = deps_.systems.find(system);
    if (!record || record->stage != enrolment::accepted)
        return fail(errc::not_found, "system \"" + std::to_string(system.value()) + "\" not found");
    const auto topology = deps_.topology.read();
    const auto placement = topology->find_owner(record->zone, slot::of(record->print));
    if (placement.node == nullptr)
        return fail(errc::unavailable, "system has no node at the moment; retry later");
    if (placement.server == nullptr)
        return fail(
            errc::unavailable, "node \"" + placement.node->name + "\" of the system is offline");
    return node_location{.node = placement.node->name, .address = placement.server->address};
}

result<http::client::options> node_client::client_options() const {
    TRY(auto tls, deps_.tls.current());
    return http::client::options{
        .clock = &deps_.clock, .tls = std::move(tls), .limits = stream_limits};
}

std::string node_client::url(
    const node_location& location, system_number system, const std::string& path) {
    return "https://" + location.address + "/node/systems/" + std::to_string(system.value()) + path;
}

async<http::client_response> node_client::request(
    system_number system, std::string method, std::string path) const {
    CO_TRY(const auto location, locate(system));
    CO_TRY(auto options, client_options());
    options.limits.first_byte_time = response_timeout;
    http::client client(std::move(options));
    http::client_request request{.method = std::move(method), .url = url(location, system, path)};
    auto response = co_await within(deps_.clock, response_timeout, client.send(std::move(request)));
    if (!response)
        co_return fail(
            response.error().with_context("request to node \"" + location.node + "\" failed"));
    co_return response;
}

async<void> output_stream::open(std::string url) {
    CO_TRY(auto stream, co_await client_.open({.url = std::move(url)}));
    if (stream.status() != 200)
        co_return fail(
            errc::unavailable, "node returned HTTP status " + std::to_string(stream.status()));
    stream_.emplace(std::move(stream));
    co_return result<void>();
}

async<jobs::output_piece> output_stream::next() {
    while (true) {
        CO_TRY(auto piece, pieces_.next());
        if (piece) co_return *std::move(piece);
        CO_TRY(const auto bytes, co_await stream_->next());
        if (bytes.empty()) co_return fail(errc::unavailable, "node closed the connection");
        pieces_.feed(bytes);
    }
}

}  // namespace muster::api
