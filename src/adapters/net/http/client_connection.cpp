#include "adapters/net/http/client_connection.h"

#include "adapters/pki/agent_proof.h"

#include <charconv>
#include <utility>

namespace muster::net::http {
namespace {

result<unsigned> parse_status(const head& lines) {
    const auto version = lines.word(0);
    const auto digits = lines.word(1);
    unsigned status = 0;
    const auto [end, failed] =
        std::from_chars(digits.data(), digits.data() + digits.size(), status);
    const bool number = failed == std::errc() && end == digits.data() + digits.size()
                        && digits.size() == 3 && status >= 100 && status < 600;
    if (!number || (version != "HTTP/1.1" && version != "HTTP/1.0"))
        return fail(errc::corrupt, "the answer is not HTTP/1.1");
    return status;
}

}  // namespace

bool client_connection::is_quiet() {
    std::array<char, 1> unasked{};
    return in_.empty() && stream_->try_read(unasked).what == progress::wants_read;
}

result<std::string> client_connection::authorization(const pki::private_key& agent) {
    if (authorization_.empty()) {
        TRY(const auto binding, stream_->channel_binding());
        TRY(authorization_, pki::make_agent_authorization(agent, binding));
    }
    return authorization_;
}

async<void> client_connection::send(std::string request) {
    keep_alive_ = false;  // until the answer says otherwise
    sent_whole_ = false;
    CO_CHECK_OK(co_await stream_->write(std::move(request)));
    sent_whole_ = true;
    co_return result<void>();
}

// False when the server has closed the connection.
async<bool> client_connection::fill() {
    std::array<char, 16384> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): read into
    CO_TRY(const std::size_t size, co_await stream_->read_some(buffer));
    in_.append(buffer.data(), size);
    co_return size > 0;
}

result<answer_head> client_connection::parse_head(std::string_view text, answered_request request) {
    auto lines = head::parse(text, {.fields_max = allowed_.fields_max});
    if (!lines) return fail(errc::corrupt, "the answer: " + lines.error().detail);
    TRY(const unsigned status, parse_status(*lines));
    const auto framing = answer_framing(*lines, status, request);
    if (!framing) return fail(errc::corrupt, "the answer: " + framing.error().detail);
    body_ = body_decoder(*framing);
    keep_alive_ = lines->word(0) == "HTTP/1.1" && !lines->lists("connection", "close")
                  && framing->kind != body_kind::until_close;
    return answer_head{.status = status, .lines = *std::move(lines)};
}

async<answer_head> client_connection::read_head(answered_request request) {
    std::size_t scanned = 0;
    while (true) {
        const auto head_end = find_head_end(in_, scanned);
        scanned = head_end.size;
        if (head_end.what == scan::malformed)
            co_return fail(errc::corrupt, "the answer is not HTTP");
        if (head_end.what == scan::complete) {
            CO_TRY(
                answer_head result,
                parse_head(std::string_view(in_).substr(0, head_end.size), request));
            in_.erase(0, head_end.size);
            scanned = 0;
            if (result.status >= 200) co_return result;
            continue;  // 100 Continue and its like announce the answer, they are not it
        }
        if (in_.size() > allowed_.header_bytes_max)
            co_return fail(errc::corrupt, "the answer's header is too large");
        CO_TRY(const bool more, co_await fill());
        if (!more) co_return fail(errc::unavailable, "the server hung up without an answer");
    }
}

async<std::string> client_connection::read_body_piece() {
    std::string piece;
    while (true) {
        const auto used = body_.feed(in_, piece);
        if (!used) co_return fail(errc::corrupt, "the answer: " + used.error().detail);
        in_.erase(0, *used);
        if (!piece.empty() || body_.at_end()) co_return piece;
        CO_TRY(const bool more, co_await fill());
        if (more) continue;
        const auto complete = body_.connection_ended();
        if (!complete) co_return fail(errc::unavailable, "the answer was cut off");
    }
}

}  // namespace muster::net::http
