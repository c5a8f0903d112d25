// The byte input and output of a connection, with its deadlines.
#include "adapters/net/http/connection.h"
#include "base/assert.h"
#include "base/release_memory.h"

#include <utility>

namespace muster::net::http {

namespace asio = boost::asio;

namespace {

constexpr unsigned bad_request = 400;
constexpr unsigned request_timeout = 408;
constexpr unsigned content_too_large = 413;

}  // namespace

// Reads available bytes. nullopt: the socket has none; `step` says what to wait for.
std::optional<connection::read_result> connection::try_fill(step& step) {
    auto& buffer = worker_.read_buffer();
    step = stream_->try_read(buffer);
    switch (step.state) {
        case progress::done:
            received_.append(buffer.data(), step.size);
            counters::add(worker_.metrics().bytes_received, step.size);
            return read_result::more;
        case progress::ended:
            return read_result::ended;
        case progress::broken:
            return read_result::broken;
        case progress::wants_read:
        case progress::wants_write:
            return std::nullopt;
    }
    MUSTER_ASSERT(false);
}

asio::awaitable<connection::read_result> connection::fill() {
    while (true) {
        step step;
        if (const auto outcome = try_fill(step)) co_return *outcome;
        if (deadline_.expired()) co_return read_result::timed_out;
        const auto [failed] = co_await stream_->wait_for(step.state);
        if (deadline_.expired()) co_return read_result::timed_out;
        if (failed) co_return read_result::broken;
    }
}

// Waits for the start of the next request. A spurious wake-up or half a TLS record does not start
// the deadline of the request's header.
asio::awaitable<connection::read_result> connection::read_first_bytes() {
    step step{.state = progress::wants_read};
    if (stream_->has_buffered()) {
        if (const auto outcome = try_fill(step)) co_return *outcome;
    }
    while (true) {
        const auto [failed] = co_await stream_->wait_for(step.state);
        if (deadline_.expired()) co_return read_result::timed_out;
        if (failed) co_return read_result::broken;
        if (const auto outcome = try_fill(step)) co_return *outcome;
    }
}

std::unexpected<error> connection::refuse_body(http_error error) {
    request_.error = std::move(error);
    return fail(errc::invalid, request_.error->detail);
}

async<std::string> connection::read_body() {
    if (request_.error) co_return fail(errc::invalid, request_.error->detail);
    if (std::exchange(request_.owes_continue, false) && !request_.body.at_end()
        && received_.empty()) {
        outgoing_ += "HTTP/1.1 100 Continue\r\n\r\n";
        CO_CHECK_OK(co_await flush());
    }
    deadline_.arm(request_.body_deadline);
    std::string piece;
    while (true) {
        const auto used = request_.body.feed(received_, piece);
        if (!used) co_return refuse_body(used.error());
        received_.erase(0, *used);
        request_.body_bytes += piece.size();
        if (request_.body_bytes > request_.body_bytes_max)
            co_return refuse_body({content_too_large, "body exceeds the size limit"});
        if (!piece.empty() || request_.body.at_end()) break;
        const auto outcome = co_await fill();
        if (outcome == read_result::timed_out) {
            counters::add(worker_.metrics().deadlines_passed, 1);
            co_return refuse_body({request_timeout, "body not received in time"});
        }
        if (outcome != read_result::more)
            co_return refuse_body({bad_request, "connection closed before the end of the body"});
    }
    deadline_.disarm();
    co_return piece;
}

// Skips an unread body if it was received completely.
bool connection::body_is_finished() {
    if (request_.body.at_end()) return true;
    if (request_.error) return false;
    std::string skipped;
    const auto used = request_.body.feed(received_, skipped);
    if (!used) return false;
    received_.erase(0, *used);
    return request_.body.at_end();
}

async<void> connection::write_body(std::string piece) {
    if (piece.empty()) co_return co_await flush();
    if (request_.form == body_form::chunked) {
        append_chunk(outgoing_, piece);
    } else {
        outgoing_ += piece;
    }
    co_return co_await flush();
}

async<void> connection::wait_for_disconnect() {
    phase_ = phase::events;
    step step{.state = progress::wants_read};
    while (true) {
        if (worker_.stopping()) co_return fail(errc::unavailable, "server is stopping");
        const auto [failed] = co_await stream_->wait_for(step.state);
        if (deadline_.expired()) co_return fail(errc::unavailable, "server is stopping");
        if (failed) co_return fail(errc::cancelled, "wait cancelled");
        const auto outcome = try_fill(step);
        if (!outcome) continue;
        step.state = progress::wants_read;
        if (*outcome != read_result::more)
            co_return fail(errc::unavailable, "client closed the connection");
        if (received_.size() > worker_.limits().header_bytes_max)
            co_return fail(errc::invalid, "client sends too much data during a response");
    }
}

async<void> connection::flush() {
    while (outgoing_sent_ < outgoing_.size()) {
        const step step = stream_->try_write(std::string_view(outgoing_).substr(outgoing_sent_));
        if (step.state == progress::done) {
            outgoing_sent_ += step.size;
            counters::add(worker_.metrics().bytes_sent, step.size);
            continue;
        }
        if (step.state == progress::ended || step.state == progress::broken)
            co_return fail(errc::unavailable, "client closed the connection");
        deadline_.arm(worker_.clock().now() + worker_.limits().write_stall_time);
        const auto [failed] = co_await stream_->wait_for(step.state);
        if (deadline_.expired()) {
            counters::add(worker_.metrics().deadlines_passed, 1);
            co_return fail(errc::unavailable, "client reads too slowly");
        }
        deadline_.disarm();
        if (failed) co_return fail(errc::unavailable, "client closed the connection");
    }
    release_memory(outgoing_);
    outgoing_sent_ = 0;
    co_return result<void>();
}

// Sends what the socket accepts now and queues the rest. False when the client has gone.
bool connection::try_send(std::string_view bytes) {
    const step step = stream_->try_write(bytes);
    if (step.state == progress::ended || step.state == progress::broken) return false;
    if (step.state == progress::done) {
        counters::add(worker_.metrics().bytes_sent, step.size);
        bytes.remove_prefix(step.size);
    }
    outgoing_ = bytes;
    return true;
}

// Best effort: the client may not read the response.
void connection::send_error(const http_error& error) {
    worker_.metrics().count_response(error.status);
    std::string message;
    const response_form form{
        .body = body_form::sized, .then = after_response::close, .date = worker_.date()};
    const response response = problem(error.status, error.detail);
    ignore_error(append_head(message, response, form), "fields of the server are well-formed");
    message += response.body;
    try_send(message);
}

asio::awaitable<void> connection::linger() {
    stream_->finish_sending();
    deadline_.arm(worker_.clock().now() + worker_.limits().linger_time);
    std::size_t dropped_bytes = 0;
    while (dropped_bytes < worker_.limits().linger_bytes_max) {
        received_.clear();
        const auto outcome = co_await fill();
        if (outcome != read_result::more) co_return;
        dropped_bytes += received_.size();
    }
}

}  // namespace muster::net::http
