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

// A server must take "https://host/path" too; what counts is the part behind the authority, which
// is empty, a path or a query.
std::string_view without_authority(std::string_view target) {
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
    auto lines = head::parse(text, limits);
    if (!lines) return std::unexpected(std::move(lines).error());
    request_head result(*std::move(lines));
    if (auto fine = result.check_first_line(); !fine)
        return std::unexpected(std::move(fine).error());
    if (auto fine = result.check_fields(); !fine) return std::unexpected(std::move(fine).error());
    return result;
}

parsed<void> request_head::check_first_line() {
    if (!is_token(method())) return refuse(bad_request, "the method is not a word");
    if (!std::ranges::all_of(target(), is_target_character))
        return refuse(bad_request, "the request target has a character that must be encoded");
    if (!is_absolute(target()) && !target().starts_with('/'))
        return refuse(bad_request, "the request target must be a path");
    const auto spoken = lines_.rest_of_first_line();
    if (spoken == "HTTP/1.0") {
        version_ = http::version::http_1_0;
        keep_alive_ = false;
    } else if (spoken != "HTTP/1.1") {
        const bool other_version = spoken.starts_with("HTTP/") && spoken.size() <= 8;
        return other_version ? refuse(version_not_supported, "speak HTTP/1.1")
                             : refuse(bad_request, "the first line must end with HTTP/1.1");
    }
    return {};
}

parsed<void> request_head::check_fields() {
    const auto hosts = lines_.count("host");
    if (hosts > 1 || (hosts == 0 && version_ == http::version::http_1_1))
        return refuse(bad_request, "there must be one Host field");
    auto framing = request_framing(lines_);
    if (!framing) return std::unexpected(std::move(framing).error());
    body_ = *framing;
    if (body_.kind == body_kind::chunked && version_ == http::version::http_1_0)
        return refuse(bad_request, "HTTP/1.0 has no Transfer-Encoding");
    if (lines_.lists("connection", "close"))
        keep_alive_ = false;
    else if (lines_.lists("connection", "keep-alive"))
        keep_alive_ = true;
    if (const auto expected = lines_.field("expect")) {
        if (!equal_ignoring_case(*expected, "100-continue"))
            return refuse(expectation_failed, "the only expectation is 100-continue");
        expects_continue_ = version_ == http::version::http_1_1;
    }
    return {};
}

std::string_view request_head::path() const {
    const auto whole = without_authority(target());
    const auto path = whole.substr(0, whole.find('?'));
    return path.empty() ? std::string_view("/") : path;
}

std::string_view request_head::query() const {
    const auto whole = without_authority(target());
    const auto mark = whole.find('?');
    return mark == std::string_view::npos ? std::string_view() : whole.substr(mark + 1);
}

}  // namespace muster::net::http
