#pragma once

#include "adapters/net/http/response.h"
#include "base/time.h"

#include <string>
#include <string_view>

namespace muster::net::http {

enum class after_response { keep_alive, close };

enum class body_form {
    sized,        // with Content-Length; the body follows unless `omitted`
    omitted,      // response to HEAD: all fields, no body
    chunked,      // streamed to an HTTP/1.1 client
    until_close,  // streamed to an HTTP/1.0 client
};

struct response_form {
    body_form body = body_form::sized;
    after_response then = after_response::keep_alive;
    std::string_view date;  // the value of the Date field
};

// True if a response of this status may have a body (RFC 9110).
bool may_have_body(unsigned status);

// Appends the head of a response. Refuses fields that contain line ends.
result<void> append_head(std::string& out, const response& response, const response_form& form);
void append_chunk(std::string& out, std::string_view piece);
inline constexpr std::string_view last_chunk = "0\r\n\r\n";

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::string http_date(wall_time time);

}  // namespace muster::net::http
