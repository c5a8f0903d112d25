#include "adapters/net/http/serialise.h"

#include "adapters/net/http/head.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <iterator>

namespace muster::net::http {

bool may_have_body(unsigned status) {
    return status >= 200 && status != 204 && status != 304;
}

result<void> append_head(std::string& out, const response& response, const response_form& form) {
    const auto output = std::back_inserter(out);
    fmt::format_to(output, "HTTP/1.1 {} {}\r\n", response.status, reason_phrase(response.status));
    for (const auto& [name, value] : response.fields) {
        if (!is_token(name) || !is_field_value(value))
            return fail(errc::invalid, "malformed response field \"" + name + "\"");
        out.append(name).append(": ").append(value).append("\r\n");
    }
    out.append("date: ").append(form.date).append("\r\n");
    const bool streamed = form.body == body_form::chunked || form.body == body_form::until_close;
    if (form.body == body_form::chunked) out += "transfer-encoding: chunked\r\n";
    if (!streamed && !response.stream && may_have_body(response.status))
        fmt::format_to(output, "content-length: {}\r\n", response.body.size());
    if (form.then == after_response::close) out += "connection: close\r\n";
    out += "\r\n";
    return {};
}

void append_chunk(std::string& out, std::string_view piece) {
    fmt::format_to(std::back_inserter(out), "{:x}\r\n", piece.size());
    out.append(piece).append("\r\n");
}

std::string http_date(wall_time time) {
    const std::time_t seconds =
        std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
    return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(seconds));
}

}  // namespace muster::net::http
