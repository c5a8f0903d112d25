#include "adapters/net/http/body_framing.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace muster::net::http {
namespace {

constexpr unsigned bad_request = 400;
constexpr unsigned not_implemented = 501;

parsed<std::uint64_t> parse_length(std::string_view digits) {
    std::uint64_t length = 0;
    const char* end = digits.data() + digits.size();
    const bool only_digits =
        !digits.empty() && std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
    const auto [stopped, failed] = std::from_chars(digits.data(), end, length);
    if (!only_digits || failed != std::errc() || stopped != end || length > INT64_MAX)
        return refuse(bad_request, "Content-Length must be a decimal number");
    return length;
}

// The framing that both fields declare; nullopt if both are missing.
parsed<std::optional<body_framing>> framing_fields(const head& head) {
    const auto codings = head.count("transfer-encoding");
    const auto lengths = head.count("content-length");
    if (codings > 0 && lengths > 0)
        return refuse(bad_request, "Content-Length and Transfer-Encoding are mutually exclusive");
    if (codings > 1 || lengths > 1)
        return refuse(bad_request, "Content-Length or Transfer-Encoding must occur only once");
    if (codings == 1) {
        if (!equal_ignoring_case(*head.field("transfer-encoding"), "chunked"))
            return refuse(not_implemented, "unsupported Transfer-Encoding; use chunked");
        return body_framing{.kind = body_kind::chunked};
    }
    if (lengths == 0) return std::nullopt;
    const auto length = parse_length(*head.field("content-length"));
    if (!length) return std::unexpected(length.error());
    return body_framing{.kind = *length == 0 ? body_kind::none : body_kind::sized, .size = *length};
}

}  // namespace

parsed<body_framing> request_framing(const head& head) {
    const auto framing = framing_fields(head);
    if (!framing) return std::unexpected(framing.error());
    return framing->value_or(body_framing{});
}

parsed<body_framing> response_framing(const head& head, unsigned status, answered_request request) {
    constexpr unsigned no_content = 204;
    constexpr unsigned not_modified = 304;
    if (request.was_head || status < 200 || status == no_content || status == not_modified)
        return body_framing{};
    const auto framing = framing_fields(head);
    if (!framing) return std::unexpected(framing.error());
    return framing->value_or(body_framing{.kind = body_kind::until_close});
}

}  // namespace muster::net::http
