#pragma once

#include "adapters/net/http/response.h"
#include "base/time.h"

#include <string>
#include <string_view>

namespace muster::net::http {

enum class after_answer { keep_alive, close };

enum class body_form {
    sized,        // with Content-Length; the body follows unless `omitted`
    omitted,      // the answer to HEAD: all fields, no body
    chunked,      // streamed to an HTTP/1.1 client
    until_close,  // streamed to an HTTP/1.0 client
};

struct answer_form {
    body_form body = body_form::sized;
    after_answer then = after_answer::keep_alive;
    std::string_view date;  // the value of the Date field
};

// Whether an answer of this status has a body at all (RFC 9110).
bool may_have_body(unsigned status);

// Appends the head of an answer. Refuses fields that would break out of their line.
result<void> append_head(std::string& out, const response& answer, const answer_form& form);
void append_chunk(std::string& out, std::string_view piece);
inline constexpr std::string_view last_chunk = "0\r\n\r\n";

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::string http_date(wall_time moment);

}  // namespace muster::net::http
