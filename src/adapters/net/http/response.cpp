#include "adapters/net/http/response.h"

#include "base/assert.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace muster::net::http {
namespace {

struct phrase {
    unsigned status;
    std::string_view text;
};

constexpr std::array phrases = {
    phrase{100, "Continue"},
    phrase{200, "OK"},
    phrase{201, "Created"},
    phrase{202, "Accepted"},
    phrase{204, "No Content"},
    phrase{206, "Partial Content"},
    phrase{301, "Moved Permanently"},
    phrase{302, "Found"},
    phrase{303, "See Other"},
    phrase{304, "Not Modified"},
    phrase{307, "Temporary Redirect"},
    phrase{308, "Permanent Redirect"},
    phrase{400, "Bad Request"},
    phrase{401, "Unauthorized"},
    phrase{403, "Forbidden"},
    phrase{404, "Not Found"},
    phrase{405, "Method Not Allowed"},
    phrase{406, "Not Acceptable"},
    phrase{408, "Request Timeout"},
    phrase{409, "Conflict"},
    phrase{410, "Gone"},
    phrase{411, "Length Required"},
    phrase{412, "Precondition Failed"},
    phrase{413, "Content Too Large"},
    phrase{414, "URI Too Long"},
    phrase{415, "Unsupported Media Type"},
    phrase{417, "Expectation Failed"},
    phrase{421, "Misdirected Request"},
    phrase{422, "Unprocessable Content"},
    phrase{428, "Precondition Required"},
    phrase{429, "Too Many Requests"},
    phrase{431, "Request Header Fields Too Large"},
    phrase{500, "Internal Server Error"},
    phrase{501, "Not Implemented"},
    phrase{502, "Bad Gateway"},
    phrase{503, "Service Unavailable"},
    phrase{504, "Gateway Timeout"},
    phrase{505, "HTTP Version Not Supported"},
};

unsigned to_status(errc code) {
    switch (code) {
        case errc::not_found:
            return 404;
        case errc::conflict:
            return 409;
        case errc::invalid:
            return 400;
        case errc::denied:
            return 403;
        case errc::unavailable:
        case errc::cancelled:
            return 503;
        case errc::timed_out:
            return 504;
        case errc::corrupt:
            return 500;
    }
    MUSTER_ASSERT(false);
}

}  // namespace

std::string_view reason_phrase(unsigned status) {
    const auto* it = std::ranges::lower_bound(phrases, status, {}, &phrase::status);
    return it != phrases.end() && it->status == status ? it->text : "Status";
}

std::string quoted_json(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (byte < 0x20 || byte == 0x7f) {
            quoted += fmt::format("\\u{:04x}", byte);
        } else {
            quoted += c;
        }
    }
    return quoted + '"';
}

response text(unsigned status, std::string body) {
    return {
        .status = status,
        .fields = {{"content-type", "text/plain; charset=utf-8"}},
        .body = std::move(body)};
}

response json(unsigned status, std::string body) {
    return {
        .status = status,
        .fields = {{"content-type", "application/json"}},
        .body = std::move(body)};
}

response problem(unsigned status, std::string_view detail) {
    return {
        .status = status,
        .fields = {{"content-type", "application/problem+json"}},
        .body = fmt::format(
            R"({{"type":"about:blank","title":{},"status":{},"detail":{}}})",
            quoted_json(reason_phrase(status)),
            status,
            quoted_json(detail))};
}

response problem(const error& failure) {
    constexpr unsigned service_unavailable = 503;
    auto response = problem(to_status(failure.code()), failure.detail());
    if (response.status == service_unavailable) response.fields.emplace_back("retry-after", "1");
    return response;
}

}  // namespace muster::net::http
