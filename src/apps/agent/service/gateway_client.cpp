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
    .whole_time = std::chrono::seconds(30),
    .idle_connections_max = 1,
    .body_bytes_max = std::size_t{16} * 1024};
constexpr std::int64_t retry_seconds_max = 86'400;
constexpr std::size_t quoted_bytes_max = 200;

monotonic::duration retry_after(const http::answer& from) {
    const auto text = from.field("retry-after").value_or("");
    std::int64_t seconds = 0;
    const auto* end = text.data() + text.size();
    const auto [stopped, failed] = std::from_chars(text.data(), end, seconds);
    const bool usable = failed == std::errc() && stopped == end && seconds > 0;
    return std::chrono::seconds(usable ? std::min(seconds, retry_seconds_max) : 0);
}

no_response unusable(const http::answer& from) {
    return {
        .why = fmt::format(
            "the entry answered {}: {}", from.status, from.body.substr(0, quoted_bytes_max)),
        .retry_after = retry_after(from)};
}

entry_answer state_in(const http::answer& from) {
    if (from.status == 410) return state_response{system_state::deleted};
    const bool digit = from.status == 200 && from.body.size() == 1;
    const auto state = digit ? state_of_digit(from.body.front()) : std::nullopt;
    if (!state) return unusable(from);
    return state_response{*state};
}

entry_answer place_in(const http::answer& from) {
    switch (from.status) {
        case 200:
            break;
        case 204:
            return retry_response{retry_after(from)};
        case 403:
            return told_not_accepted{};
        case 410:
            return state_response{system_state::deleted};
        default:
            return unusable(from);
    }
    if (!net::parse_endpoint(from.body)) return unusable(from);
    return placement_response{from.body};
}

std::string document_of(const enrolment_form& form) {
    boost::json::object facts;
    for (const auto& [path, value] : form.all) facts[path] = boost::json::parse(value);
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

gateway_client::gateway_client(way there, identity self, muster::clock& clock)
    : there_(std::move(there)), self_(std::move(self)), clock_(clock) {}

void gateway_client::close_connection() {
    client_.reset();
}

boost::asio::awaitable<entry_answer> gateway_client::knock(std::string entry) {
    http::outgoing outgoing{.url = entry + "/system/status?fp=" + self_.print.str()};
    return ask(std::move(outgoing), false);
}

boost::asio::awaitable<entry_answer> gateway_client::enrol(std::string entry, enrolment_form form) {
    http::outgoing outgoing{
        .method = "POST",
        .url = entry + "/system/enroll",
        .fields = {{"Content-Type", "application/json"}},
        .body = document_of(form)};
    return ask(std::move(outgoing), false);
}

boost::asio::awaitable<entry_answer> gateway_client::ask_place(std::string entry) {
    http::outgoing outgoing{.url = entry + "/system/orphan?fp=" + self_.print.str()};
    return ask(std::move(outgoing), true);
}

boost::asio::awaitable<entry_answer> gateway_client::ask(http::outgoing outgoing, bool place) {
    if (!client_) {
        client_ = std::make_unique<http::client>(http::client::options{
            .clock = &clock_,
            .tls = there_.tls,
            .allowed = timeout,
            .agent = self_.key,
            .through = there_.proxy});
    }
    const auto answered = co_await client_->send(std::move(outgoing));
    if (!answered) co_return no_response{.why = to_string(answered.error())};
    co_return place ? place_in(*answered) : state_in(*answered);
}

}  // namespace muster::agent
