// How a connection moves bytes: into `in_`, out of `out_`, within its deadlines.
#include "adapters/net/http/connection.h"
#include "base/assert.h"
#include "base/release_memory.h"

#include <utility>

namespace muster::net::http {

namespace asio = boost::asio;

namespace {

constexpr unsigned bad_request = 400;
constexpr unsigned too_late = 408;
constexpr unsigned content_too_large = 413;

}  // namespace

// Reads what is there. Nothing: it would have to wait, as `made` says.
std::optional<connection::filled> connection::try_fill(step& step) {
    auto& buffer = on_.received();
    step = stream_->try_read(buffer);
    switch (step.what) {
        case progress::done:
            in_.append(buffer.data(), step.size);
            counters::add(on_.counted().bytes_received, step.size);
            return filled::more;
        case progress::ended:
            return filled::ended;
        case progress::broken:
            return filled::broken;
        case progress::wants_read:
        case progress::wants_write:
            return std::nullopt;
    }
    MUSTER_ASSERT(false);
}

asio::awaitable<connection::filled> connection::fill() {
    while (true) {
        step step;
        if (const auto outcome = try_fill(step)) co_return *outcome;
        if (deadline_.expired()) co_return filled::too_late;
        const auto [failed] = co_await stream_->wait_for(step.what);
        if (deadline_.expired()) co_return filled::too_late;
        if (failed) co_return filled::broken;
    }
}

// The start of the next request. A socket may be called readable when it is not, and half a TLS
// record is nothing to work on yet: neither starts the clock of the request's header.
asio::awaitable<connection::filled> connection::first_bytes() {
    step step{.what = progress::wants_read};
    if (stream_->has_buffered()) {
        if (const auto outcome = try_fill(step)) co_return *outcome;
    }
    while (true) {
        const auto [failed] = co_await stream_->wait_for(step.what);
        if (deadline_.expired()) co_return filled::too_late;
        if (failed) co_return filled::broken;
        if (const auto outcome = try_fill(step)) co_return *outcome;
    }
}

std::unexpected<error> connection::refuse_body(refusal why) {
    now_.refused = std::move(why);
    return fail(errc::invalid, now_.refused->detail);
}

async<std::string> connection::read_body() {
    if (now_.refused) co_return fail(errc::invalid, now_.refused->detail);
    if (std::exchange(now_.continue_owed, false) && !now_.body.at_end() && in_.empty()) {
        out_ += "HTTP/1.1 100 Continue\r\n\r\n";
        CO_CHECK_OK(co_await flush());
    }
    deadline_.arm(now_.body_deadline);
    std::string piece;
    while (true) {
        const auto used = now_.body.feed(in_, piece);
        if (!used) co_return refuse_body(used.error());
        in_.erase(0, *used);
        now_.body_bytes += piece.size();
        if (now_.body_bytes > now_.body_bytes_max)
            co_return refuse_body({content_too_large, "the body is larger than accepted here"});
        if (!piece.empty() || now_.body.at_end()) break;
        const auto outcome = co_await fill();
        if (outcome == filled::too_late) {
            counters::add(on_.counted().deadlines_passed, 1);
            co_return refuse_body({too_late, "the body took too long to arrive"});
        }
        if (outcome != filled::more)
            co_return refuse_body({bad_request, "the connection ended before the body did"});
    }
    deadline_.disarm();
    co_return piece;
}

// A body that the handler did not want is skipped when it is here already.
bool connection::body_is_finished() {
    if (now_.body.at_end()) return true;
    if (now_.refused) return false;
    std::string dropped;
    const auto used = now_.body.feed(in_, dropped);
    if (!used) return false;
    in_.erase(0, *used);
    return now_.body.at_end();
}

async<void> connection::write_body(std::string piece) {
    if (piece.empty()) co_return co_await flush();
    if (now_.form == body_form::chunked) {
        append_chunk(out_, piece);
    } else {
        out_ += piece;
    }
    co_return co_await flush();
}

async<void> connection::until_gone() {
    phase_ = phase::events;
    step step{.what = progress::wants_read};
    while (true) {
        if (on_.stopping()) co_return fail(errc::unavailable, "the server is stopping");
        const auto [failed] = co_await stream_->wait_for(step.what);
        if (deadline_.expired()) co_return fail(errc::unavailable, "the server is stopping");
        if (failed) co_return fail(errc::cancelled, "no longer waiting");
        const auto outcome = try_fill(step);
        if (!outcome) continue;
        step.what = progress::wants_read;
        if (*outcome != filled::more) co_return fail(errc::unavailable, "the client has gone");
        if (in_.size() > on_.allowed().header_bytes_max)
            co_return fail(errc::invalid, "the client sends too much during an answer");
    }
}

async<void> connection::flush() {
    while (out_sent_ < out_.size()) {
        const step step = stream_->try_write(std::string_view(out_).substr(out_sent_));
        if (step.what == progress::done) {
            out_sent_ += step.size;
            counters::add(on_.counted().bytes_sent, step.size);
            continue;
        }
        if (step.what == progress::ended || step.what == progress::broken)
            co_return fail(errc::unavailable, "the client has gone");
        deadline_.arm(on_.clock().now() + on_.allowed().write_stall_time);
        const auto [failed] = co_await stream_->wait_for(step.what);
        if (deadline_.expired()) {
            counters::add(on_.counted().deadlines_passed, 1);
            co_return fail(errc::unavailable, "the client reads too slowly");
        }
        deadline_.disarm();
        if (failed) co_return fail(errc::unavailable, "the client has gone");
    }
    release_memory(out_);
    out_sent_ = 0;
    co_return result<void>();
}

// Sends at once what the socket takes; the rest goes to `out_`. False when the client has gone.
bool connection::try_send(std::string_view bytes) {
    const step step = stream_->try_write(bytes);
    if (step.what == progress::ended || step.what == progress::broken) return false;
    if (step.what == progress::done) {
        counters::add(on_.counted().bytes_sent, step.size);
        bytes.remove_prefix(step.size);
    }
    out_ = bytes;
    return true;
}

// For clients whose request cannot be understood: whether they read the answer is their business.
void connection::refuse_now(const refusal& why) {
    on_.counted().answered(why.status);
    std::string out;
    const answer_form form{
        .body = body_form::sized, .then = after_answer::close, .date = on_.date()};
    const response answer = problem(why.status, why.detail);
    ignore_error(append_head(out, answer, form), "our own fields are well-formed");
    out += answer.body;
    try_send(out);
}

asio::awaitable<void> connection::linger() {
    stream_->finish_sending();
    deadline_.arm(on_.clock().now() + on_.allowed().linger_time);
    std::size_t dropped = 0;
    while (dropped < on_.allowed().linger_bytes_max) {
        in_.clear();
        const auto outcome = co_await fill();
        if (outcome != filled::more) co_return;
        dropped += in_.size();
    }
}

}  // namespace muster::net::http
