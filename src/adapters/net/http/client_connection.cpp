#include "adapters/net/http/client_connection.h"

#include "adapters/pki/agent_proof.h"

#include <charconv>
#include <utility>

namespace muster::net::http {
namespace {

result<unsigned> parse_status(const http::head& head) {
    const auto version = head.word(0);
    const auto digits = head.word(1);
    unsigned status = 0;
    const auto [end, failed] =
        std::from_chars(digits.data(), digits.data() + digits.size(), status);
    const bool number = failed == std::errc() && end == digits.data() + digits.size()
                        && digits.size() == 3 && status >= 100 && status < 600;
    if (!number || (version != "HTTP/1.1" && version != "HTTP/1.0"))
        return fail(errc::corrupt, "response is not HTTP/1.1");
    return status;
}

}  // namespace

bool client_connection::is_idle() {
    std::array<char, 1> buffer{};
    return received_.empty() && stream_->try_read(buffer).state == progress::wants_read;
}

result<std::string> client_connection::authorization(const pki::private_key& agent) {
    if (authorization_.empty()) {
        TRY(const auto binding, stream_->channel_binding());
        TRY(authorization_, pki::create_agent_authorization(agent, binding));
    }
    return authorization_;
}

async<void> client_connection::send(std::string request) {
    keep_alive_ = false;  // until the response allows it
    request_sent_ = false;
    CO_CHECK_OK(co_await stream_->write(std::move(request)));
    request_sent_ = true;
    co_return result<void>();
}

// False when the server has closed the connection.
async<bool> client_connection::fill() {
    std::array<char, 16384> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): read into
    CO_TRY(const std::size_t size, co_await stream_->read_some(buffer));
    received_.append(buffer.data(), size);
    co_return size > 0;
}

result<response_head> client_connection::parse_head(
    std::string_view text, answered_request request) {
    auto head = head::parse(text, {.fields_max = limits_.fields_max});
    if (!head) return fail(errc::corrupt, "response: " + head.error().detail);
    TRY(const unsigned status, parse_status(*head));
    const auto framing = response_framing(*head, status, request);
    if (!framing) return fail(errc::corrupt, "response: " + framing.error().detail);
    body_ = body_decoder(*framing);
    keep_alive_ = head->word(0) == "HTTP/1.1" && !head->lists("connection", "close")
                  && framing->kind != body_kind::until_close;
    return response_head{.status = status, .head = *std::move(head)};
}

async<response_head> client_connection::read_head(answered_request request) {
    std::size_t scanned = 0;
    while (true) {
        const auto head_end = find_head_end(received_, scanned);
        scanned = head_end.size;
        if (head_end.state == scan::malformed)
            co_return fail(errc::corrupt, "response is not HTTP");
        if (head_end.state == scan::complete) {
            CO_TRY(
                response_head head,
                parse_head(std::string_view(received_).substr(0, head_end.size), request));
            received_.erase(0, head_end.size);
            scanned = 0;
            if (head.status >= 200) co_return head;
            continue;  // 1xx responses precede the final one
        }
        if (received_.size() > limits_.header_bytes_max)
            co_return fail(errc::corrupt, "response header is too large");
        CO_TRY(const bool more, co_await fill());
        if (!more)
            co_return fail(errc::unavailable, "server closed the connection without a response");
    }
}

async<std::string> client_connection::read_body_piece() {
    std::string piece;
    while (true) {
        const auto used = body_.feed(received_, piece);
        if (!used) co_return fail(errc::corrupt, "response: " + used.error().detail);
        received_.erase(0, *used);
        if (!piece.empty() || body_.at_end()) co_return piece;
        CO_TRY(const bool more, co_await fill());
        if (more) continue;
        const auto complete = body_.end_of_connection();
        if (!complete) co_return fail(errc::unavailable, "response is incomplete");
    }
}

}  // namespace muster::net::http
