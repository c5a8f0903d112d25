#include "adapters/net/http/body_decoder.h"

#include "adapters/net/http/head.h"
#include "base/assert.h"

#include <algorithm>
#include <charconv>

namespace muster::net::http {
namespace {

constexpr unsigned bad_request = 400;
constexpr std::size_t framing_line_bytes_max = 256;
constexpr std::size_t trailer_bytes_max = 4096;

// "1a" or "1a;name=value"; chunk extensions are ignored.
parsed<std::uint64_t> parse_chunk_size(std::string_view line) {
    const std::string_view digits = line.substr(0, line.find(';'));
    constexpr std::size_t digits_max = 15;  // so that no sum of two sizes overflows
    std::uint64_t size = 0;
    const char* end = digits.data() + digits.size();
    const auto [stopped, failed] = std::from_chars(digits.data(), end, size, 16);
    const bool number = failed == std::errc() && stopped == end && digits.size() <= digits_max
                        && digits.front() != '-';
    if (!number || !is_field_value(line))
        return refuse(bad_request, "chunk must start with its size in hexadecimal digits");
    return size;
}

}  // namespace

body_decoder::body_decoder(body_framing framing) : remaining_(framing.size) {
    switch (framing.kind) {
        case body_kind::none:
            state_ = state::end;
            break;
        case body_kind::sized:
            state_ = remaining_ == 0 ? state::end : state::sized;
            break;
        case body_kind::chunked:
            state_ = state::chunk_line;
            break;
        case body_kind::until_close:
            state_ = state::until_close;
            break;
    }
}

parsed<std::size_t> body_decoder::feed(std::string_view received, std::string& out) {
    std::size_t used = 0;
    while (used < received.size() && !at_end()) {
        const std::string_view rest = received.substr(used);
        switch (state_) {
            case state::sized:
            case state::until_close:
            case state::chunk_data:
                used += read_data(rest, out);
                break;
            case state::chunk_line:
            case state::chunk_end:
            case state::trailers: {
                const auto line_size = read_line(rest);
                if (!line_size) return std::unexpected(line_size.error());
                used += *line_size;
                break;
            }
            case state::end:
                break;
        }
    }
    return used;
}

std::size_t body_decoder::read_data(std::string_view received, std::string& out) {
    if (state_ == state::until_close) {
        out += received;
        return received.size();
    }
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, received.size()));
    out += received.substr(0, size);
    remaining_ -= size;
    if (remaining_ == 0) state_ = state_ == state::sized ? state::end : state::chunk_end;
    return size;
}

parsed<std::size_t> body_decoder::read_line(std::string_view received) {
    const auto newline = received.find('\n');
    const std::size_t size = newline == std::string_view::npos ? received.size() : newline + 1;
    line_ += received.substr(0, size);
    if (line_.size() > framing_line_bytes_max) return refuse(bad_request, "chunk line is too long");
    if (newline == std::string_view::npos) return size;
    if (!line_.ends_with("\r\n")) return refuse(bad_request, "chunk line must end with CRLF");
    line_.resize(line_.size() - 2);
    if (auto finished = finish_line(); !finished)
        return std::unexpected(std::move(finished).error());
    line_.clear();
    return size;
}

parsed<void> body_decoder::finish_line() {
    if (state_ == state::chunk_end) {
        if (!line_.empty()) return refuse(bad_request, "chunk is longer than its declared size");
        state_ = state::chunk_line;
        return {};
    }
    if (state_ == state::chunk_line) {
        const auto size = parse_chunk_size(line_);
        if (!size) return std::unexpected(size.error());
        remaining_ = *size;
        state_ = remaining_ == 0 ? state::trailers : state::chunk_data;
        return {};
    }
    MUSTER_ASSERT(state_ == state::trailers);
    trailer_bytes_ += line_.size();
    if (trailer_bytes_ > trailer_bytes_max) return refuse(bad_request, "too many trailers");
    if (!is_field_value(line_)) return refuse(bad_request, "trailer contains a control character");
    if (line_.empty()) state_ = state::end;
    return {};
}

parsed<void> body_decoder::end_of_connection() {
    if (state_ == state::until_close) state_ = state::end;
    if (!at_end()) return refuse(bad_request, "connection closed before the end of the body");
    return {};
}

}  // namespace muster::net::http
