#include "apps/agent/service/gateway_client.h"

#include "adapters/net/endpoint.h"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace muster::agent {
namespace {

namespace http = net::http;

constexpr http::client_limits timeout{
    .connect_time = std::chrono::seconds(10),
    .first_byte_time = std::chrono::seconds(15),
    .request_time = std::chrono::seconds(30),
    .idle_connections_max = 1,
    .body_bytes_max = std::size_t{16} * 1024};
constexpr std::int64_t retry_seconds_max = 86'400;
constexpr std::size_t quoted_bytes_max = 200;

monotonic::duration retry_after(const http::client_response& response) {
    const auto text = response.field("retry-after").value_or("");
    std::int64_t seconds = 0;
    const auto* end = text.data() + text.size();
    const auto [stopped, failed] = std::from_chars(text.data(), end, seconds);
    const bool usable = failed == std::errc() && stopped == end && seconds > 0;
    return std::chrono::seconds(usable ? std::min(seconds, retry_seconds_max) : 0);
}

no_response to_no_response(const http::client_response& response) {
    return {
        .reason = fmt::format(
            "gateway responded with status {}: {}",
            response.status,
            response.body.substr(0, quoted_bytes_max)),
        .retry_after = retry_after(response)};
}

gateway_response parse_state(const http::client_response& response) {
    if (response.status == 410) return state_response{system_state::deleted};
    const bool is_digit = response.status == 200 && response.body.size() == 1;
    const auto state = is_digit ? state_of_digit(response.body.front()) : std::nullopt;
    if (!state) return to_no_response(response);
    return state_response{*state};
}

gateway_response parse_placement(const http::client_response& response) {
    switch (response.status) {
        case 200:
            break;
        case 204:
            return retry_response{retry_after(response)};
        case 403:
            return not_accepted_response{};
        case 410:
            return state_response{system_state::deleted};
        default:
            return to_no_response(response);
    }
    if (!net::parse_endpoint(response.body)) return to_no_response(response);
    return placement_response{response.body};
}

std::string to_document(const enrolment_form& form) {
    boost::json::object facts;
    for (const auto& [path, value] : form.facts) facts[path] = boost::json::parse(value);
    boost::json::object document{
        {"name", form.name},
        {"machine_id", form.machine_id},
        {"version", MUSTER_VERSION},
        {"facts", std::move(facts)}};
    if (!form.activation_key.empty()) document["activation_key"] = form.activation_key;
    if (!form.token.empty()) document["token"] = form.token;
    return boost::json::serialize(document);
}

}  // namespace

gateway_client::gateway_client(options options, agent::identity identity, muster::clock& clock)
    : options_(std::move(options)), identity_(std::move(identity)), clock_(clock) {}

void gateway_client::close_connection() {
    client_.reset();
}

boost::asio::awaitable<gateway_response> gateway_client::request_status(std::string entry) {
    http::client_request request{.url = entry + "/system/status?fp=" + identity_.print.str()};
    return send_request(std::move(request), response_kind::state);
}

boost::asio::awaitable<gateway_response> gateway_client::enrol(
    std::string entry, enrolment_form form) {
    http::client_request request{
        .method = "POST",
        .url = entry + "/system/enroll",
        .fields = {{"Content-Type", "application/json"}},
        .body = to_document(form)};
    return send_request(std::move(request), response_kind::state);
}

boost::asio::awaitable<gateway_response> gateway_client::request_placement(std::string entry) {
    http::client_request request{.url = entry + "/system/orphan?fp=" + identity_.print.str()};
    return send_request(std::move(request), response_kind::placement);
}

boost::asio::awaitable<gateway_response> gateway_client::send_request(
    http::client_request request, response_kind kind) {
    if (!client_) {
        client_ = std::make_unique<http::client>(http::client::options{
            .clock = &clock_,
            .tls = options_.tls,
            .limits = timeout,
            .agent = identity_.key,
            .proxy = options_.proxy});
    }
    const auto response = co_await client_->send(std::move(request));
    if (!response) co_return no_response{.reason = to_string(response.error())};
    co_return kind == response_kind::placement ? parse_placement(*response)
                                               : parse_state(*response);
}

}  // namespace muster::agent
