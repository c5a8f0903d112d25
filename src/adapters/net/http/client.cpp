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

// What failed after the request left: nobody knows whether it was done.
error after_sending(const error& failure, const std::string& requested) {
    const auto step = "asking " + requested;
    if (failure.code() != errc::unavailable) return failure.within(step);
    return error(errc::timed_out, failure.detail()).within(step);
}

result<std::string> request_text(
    const outgoing& outgoing, const url& to, const std::string& authorization) {
    if (!is_token(outgoing.method)) return fail(errc::invalid, "the method is not a word");
    std::string text =
        fmt::format("{} {} HTTP/1.1\r\nhost: {}\r\n", outgoing.method, to.target, to.authority());
    for (const auto& [name, value] : outgoing.fields) {
        if (!is_token(name) || !is_field_value(value))
            return fail(errc::invalid, "the field '" + name + "' is not well-formed");
        text.append(name).append(": ").append(value).append("\r\n");
    }
    if (!authorization.empty()) text += "authorization: " + authorization + "\r\n";
    const bool has_body =
        !outgoing.body.empty() || outgoing.method == "POST" || outgoing.method == "PUT";
    if (has_body) text += fmt::format("content-length: {}\r\n", outgoing.body.size());
    text += "\r\n";
    text += outgoing.body;
    return text;
}

}  // namespace

client::stream::stream(
    client& of, unsigned status, head lines, std::unique_ptr<client_connection> from)
    : of_(&of), status_(status), lines_(std::move(lines)), from_(std::move(from)) {}
client::stream::stream(stream&&) noexcept = default;
client::stream& client::stream::operator=(stream&&) noexcept = default;
client::stream::~stream() = default;

async<std::string> client::stream::next() {
    if (!from_) co_return std::string();
    auto piece = co_await within(
        *of_->wanted_.clock, of_->wanted_.allowed.stall_time, from_->read_body_piece());
    if (!piece) {
        from_.reset();
        co_return piece;
    }
    if (piece->empty()) of_->keep(std::move(from_));
    co_return piece;
}

client::client(options options) : wanted_(std::move(options)) {}
client::~client() = default;

async<answer> client::send(outgoing outgoing) {
    const auto limit = wanted_.allowed.whole_time;
    return within(*wanted_.clock, limit, send_whole(std::move(outgoing)));
}

async<answer> client::send_whole(outgoing outgoing) {
    const std::string from = outgoing.url;
    CO_TRY(stream opened, co_await open(std::move(outgoing)));
    answer whole{.status = opened.status(), .lines = opened.lines_, .body = {}};
    while (true) {
        const auto piece = co_await opened.next();
        if (!piece) co_return fail(after_sending(piece.error(), from));
        if (piece->empty()) co_return whole;
        if (whole.body.size() + piece->size() > wanted_.allowed.body_bytes_max)
            co_return fail(errc::invalid, "the answer of " + from + " is larger than allowed");
        whole.body += *piece;
    }
}

async<client::stream> client::open(outgoing outgoing) {
    CO_TRY(const url to, parse_url(outgoing.url));
    co_return co_await open_at(std::move(outgoing), to);
}

async<client::stream> client::open_at(outgoing outgoing, url to) {
    while (true) {
        CO_TRY(auto over, co_await connection_to(to));
        std::string authorization;
        if (wanted_.agent) {
            CO_TRY(authorization, over->authorization(*wanted_.agent));
        }
        CO_TRY(std::string text, request_text(outgoing, to, authorization));
        // A kept connection may have been closed by the server at the very moment of its reuse.
        const bool again = over->used_before() && may_be_repeated(outgoing.method);
        auto sent = co_await within(
            *wanted_.clock, wanted_.allowed.stall_time, over->send(std::move(text)));
        if (!sent && again) continue;
        // A server may answer and hang up before it has read everything: look for its answer.
        const answered_request request{.was_head = outgoing.method == "HEAD"};
        auto received = co_await within(
            *wanted_.clock, wanted_.allowed.first_byte_time, over->read_head(request));
        if (!received && received.error().code() == errc::unavailable && again) continue;
        if (!received) co_return fail(after_sending(received.error(), to_string(to.where)));
        co_return stream(*this, received->status, std::move(received->lines), std::move(over));
    }
}

async<std::unique_ptr<client_connection>> client::connection_to(url to) {
    if (auto idle = take_idle(to)) co_return idle;
    if (to.over == url::security::tls && !wanted_.tls)
        co_return fail(errc::invalid, "https needs to know which CA to trust");
    auto connection =
        co_await within(*wanted_.clock, wanted_.allowed.connect_time, new_connection(to));
    if (!connection && connection.error().code() == errc::timed_out) {
        co_return fail(
            errc::unavailable, "connecting to " + to_string(to.where) + ": no answer in time");
    }
    co_return connection;
}

async<std::unique_ptr<client_connection>> client::new_connection(url to) {
    const destination where{
        .where = to.where,
        .tls = to.over == url::security::tls ? wanted_.tls : nullptr,
        .allowed = wanted_.addresses,
        .through = wanted_.through};
    CO_TRY(auto over, co_await connect(where));
    co_return std::make_unique<client_connection>(std::move(over), to, wanted_.allowed);
}

std::unique_ptr<client_connection> client::take_idle(const url& to) {
    const auto oldest = wanted_.clock->now() - wanted_.allowed.idle_time;
    std::erase_if(idle_, [&](const auto& each) { return each->idle_since() < oldest; });
    while (true) {
        const auto it =
            std::ranges::find_if(idle_, [&](const auto& each) { return each->leads_to(to); });
        if (it == idle_.end()) return nullptr;
        auto reserved = std::move(*it);
        idle_.erase(it);
        if (reserved->is_quiet()) return reserved;
    }
}

void client::keep(std::unique_ptr<client_connection> done) {
    if (!done->is_reusable()) return;
    done->mark_idle(wanted_.clock->now());
    idle_.push_back(std::move(done));
    if (idle_.size() > wanted_.allowed.idle_connections_max) idle_.pop_front();
}

}  // namespace muster::net::http
