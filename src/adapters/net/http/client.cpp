#include "adapters/net/http/client.h"

#include "adapters/net/connect.h"
#include "adapters/net/http/client_connection.h"
#include "ports/deadline.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::net::http {
namespace {

bool may_be_repeated(std::string_view method) {
    return method == "GET" || method == "HEAD" || method == "PUT" || method == "DELETE";
}

// An error after the request was sent: its effect is unknown.
error to_sent_error(const error& failure, const std::string& target) {
    const auto step = "request to " + target;
    if (failure.code() != errc::unavailable) return failure.with_context(step);
    return error(errc::timed_out, failure.detail()).with_context(step);
}

result<std::string> request_text(
    const client_request& request, const url& url, const std::string& authorization) {
    if (!is_token(request.method)) return fail(errc::invalid, "invalid method");
    std::string text =
        fmt::format("{} {} HTTP/1.1\r\nhost: {}\r\n", request.method, url.target, url.authority());
    for (const auto& [name, value] : request.fields) {
        if (!is_token(name) || !is_field_value(value))
            return fail(errc::invalid, "malformed header field \"" + name + "\"");
        text.append(name).append(": ").append(value).append("\r\n");
    }
    if (!authorization.empty()) text += "authorization: " + authorization + "\r\n";
    const bool has_body =
        !request.body.empty() || request.method == "POST" || request.method == "PUT";
    if (has_body) text += fmt::format("content-length: {}\r\n", request.body.size());
    text += "\r\n";
    text += request.body;
    return text;
}

}  // namespace

client::stream::stream(
    client& client, unsigned status, http::head head, std::unique_ptr<client_connection> connection)
    : client_(&client),
      status_(status),
      head_(std::move(head)),
      connection_(std::move(connection)) {}
client::stream::stream(stream&&) noexcept = default;
client::stream& client::stream::operator=(stream&&) noexcept = default;
client::stream::~stream() = default;

async<std::string> client::stream::next() {
    if (!connection_) co_return std::string();
    auto piece = co_await within(
        *client_->options_.clock,
        client_->options_.limits.stall_time,
        connection_->read_body_piece());
    if (!piece) {
        connection_.reset();
        co_return piece;
    }
    if (piece->empty()) client_->keep_idle(std::move(connection_));
    co_return piece;
}

client::client(options options) : options_(std::move(options)) {}
client::~client() = default;

async<client_response> client::send(client_request request) {
    const auto limit = options_.limits.request_time;
    return within(*options_.clock, limit, send_and_read(std::move(request)));
}

async<client_response> client::send_and_read(client_request request) {
    const std::string url = request.url;
    CO_TRY(client::stream stream, co_await open(std::move(request)));
    client_response response{.status = stream.status(), .head = stream.head_, .body = {}};
    while (true) {
        const auto piece = co_await stream.next();
        if (!piece) co_return fail(to_sent_error(piece.error(), url));
        if (piece->empty()) co_return response;
        if (response.body.size() + piece->size() > options_.limits.body_bytes_max)
            co_return fail(errc::invalid, "response of " + url + " exceeds the size limit");
        response.body += *piece;
    }
}

async<client::stream> client::open(client_request request) {
    CO_TRY(const http::url url, parse_url(request.url));
    co_return co_await open_at(std::move(request), url);
}

async<client::stream> client::open_at(client_request request, url url) {
    while (true) {
        CO_TRY(auto connection, co_await get_connection(url));
        std::string authorization;
        if (options_.agent) {
            CO_TRY(authorization, connection->authorization(*options_.agent));
        }
        CO_TRY(std::string text, request_text(request, url, authorization));
        // The server may have closed a kept connection at the moment of its reuse.
        const bool may_retry = connection->used_before() && may_be_repeated(request.method);
        auto sent = co_await within(
            *options_.clock, options_.limits.stall_time, connection->send(std::move(text)));
        if (!sent && may_retry) continue;
        // A server may respond and close before it read the whole request: read its response.
        const answered_request answered{.was_head = request.method == "HEAD"};
        auto head = co_await within(
            *options_.clock, options_.limits.first_byte_time, connection->read_head(answered));
        if (!head && head.error().code() == errc::unavailable && may_retry) continue;
        if (!head) co_return fail(to_sent_error(head.error(), to_string(url.address)));
        co_return stream(*this, head->status, std::move(head->head), std::move(connection));
    }
}

async<std::unique_ptr<client_connection>> client::get_connection(url url) {
    if (auto idle = take_idle(url)) co_return idle;
    if (url.transport == url::security::tls && !options_.tls)
        co_return fail(errc::invalid, "no trusted CA for https");
    auto connection =
        co_await within(*options_.clock, options_.limits.connect_time, open_connection(url));
    if (!connection && connection.error().code() == errc::timed_out) {
        co_return fail(
            errc::unavailable, "connecting to " + to_string(url.address) + ": timed out");
    }
    co_return connection;
}

async<std::unique_ptr<client_connection>> client::open_connection(url url) {
    const net::destination destination{
        .address = url.address,
        .tls = url.transport == url::security::tls ? options_.tls : nullptr,
        .allowed = options_.allowed_addresses,
        .proxy = options_.proxy};
    CO_TRY(auto stream, co_await connect(destination));
    co_return std::make_unique<client_connection>(std::move(stream), url, options_.limits);
}

std::unique_ptr<client_connection> client::take_idle(const url& url) {
    const auto used_since = options_.clock->now() - options_.limits.idle_time;
    std::erase_if(
        idle_, [&](const auto& connection) { return connection->idle_since() < used_since; });
    while (true) {
        const auto it = std::ranges::find_if(
            idle_, [&](const auto& connection) { return connection->goes_to(url); });
        if (it == idle_.end()) return nullptr;
        auto connection = std::move(*it);
        idle_.erase(it);
        if (connection->is_idle()) return connection;
    }
}

void client::keep_idle(std::unique_ptr<client_connection> connection) {
    if (!connection->is_reusable()) return;
    connection->mark_idle(options_.clock->now());
    idle_.push_back(std::move(connection));
    if (idle_.size() > options_.limits.idle_connections_max) idle_.pop_front();
}

}  // namespace muster::net::http
