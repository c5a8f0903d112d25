#include "adapters/net/http/request_head.h"

#include <algorithm>

namespace muster::net::http {
namespace {

constexpr unsigned bad_request = 400;
constexpr unsigned expectation_failed = 417;
constexpr unsigned version_not_supported = 505;

bool is_target_character(char c) {
    return c > ' ' && c < 0x7f && c != '#' && c != '"' && c != '<' && c != '>' && c != '\\';
}

// A server must accept "https://host/path", too. Returns the part behind the authority: empty, a
// path or a query.
std::string_view strip_authority(std::string_view target) {
    for (const std::string_view scheme : {"https://", "http://"}) {
        if (!target.starts_with(scheme)) continue;
        target.remove_prefix(scheme.size());
        return target.substr(std::min(target.find_first_of("/?"), target.size()));
    }
    return target;
}

bool is_absolute(std::string_view target) {
    return target.starts_with("https://") || target.starts_with("http://");
}

}  // namespace

parsed<request_head> request_head::parse(std::string_view text, head_limits limits) {
    auto head = http::head::parse(text, limits);
    if (!head) return std::unexpected(std::move(head).error());
    request_head result(*std::move(head));
    if (auto checked = result.check_first_line(); !checked)
        return std::unexpected(std::move(checked).error());
    if (auto checked = result.check_fields(); !checked)
        return std::unexpected(std::move(checked).error());
    return result;
}

parsed<void> request_head::check_first_line() {
    if (!is_token(method())) return refuse(bad_request, "invalid method");
    if (!std::ranges::all_of(target(), is_target_character))
        return refuse(bad_request, "request target contains a character that must be encoded");
    if (!is_absolute(target()) && !target().starts_with('/'))
        return refuse(bad_request, "request target must be a path");
    const auto version = head_.rest_of_first_line();
    if (version == "HTTP/1.0") {
        version_ = http::version::http_1_0;
        keep_alive_ = false;
    } else if (version != "HTTP/1.1") {
        const bool other_version = version.starts_with("HTTP/") && version.size() <= 8;
        return other_version
                   ? refuse(version_not_supported, "unsupported HTTP version; use HTTP/1.1")
                   : refuse(bad_request, "first line must end with HTTP/1.1");
    }
    return {};
}

parsed<void> request_head::check_fields() {
    const auto hosts = head_.count("host");
    if (hosts > 1 || (hosts == 0 && version_ == http::version::http_1_1))
        return refuse(bad_request, "request must have exactly one Host field");
    auto framing = request_framing(head_);
    if (!framing) return std::unexpected(std::move(framing).error());
    body_ = *framing;
    if (body_.kind == body_kind::chunked && version_ == http::version::http_1_0)
        return refuse(bad_request, "Transfer-Encoding is not allowed with HTTP/1.0");
    if (head_.lists("connection", "close"))
        keep_alive_ = false;
    else if (head_.lists("connection", "keep-alive"))
        keep_alive_ = true;
    if (const auto expected = head_.field("expect")) {
        if (!equal_ignoring_case(*expected, "100-continue"))
            return refuse(expectation_failed, "unsupported expectation; use 100-continue");
        expects_continue_ = version_ == http::version::http_1_1;
    }
    return {};
}

std::string_view request_head::path() const {
    const auto path_and_query = strip_authority(target());
    const auto path = path_and_query.substr(0, path_and_query.find('?'));
    return path.empty() ? std::string_view("/") : path;
}

std::string_view request_head::query() const {
    const auto path_and_query = strip_authority(target());
    const auto mark = path_and_query.find('?');
    return mark == std::string_view::npos ? std::string_view() : path_and_query.substr(mark + 1);
}

}  // namespace muster::net::http
