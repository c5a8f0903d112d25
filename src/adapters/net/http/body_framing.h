#pragma once

#include "adapters/net/http/head.h"
#include "adapters/net/http/refusal.h"

#include <cstdint>

namespace muster::net::http {

enum class body_kind {
    none,
    sized,        // Content-Length
    chunked,      // Transfer-Encoding: chunked
    until_close,  // answers only: what comes until the connection ends
};

struct body_framing {
    body_kind kind = body_kind::none;
    std::uint64_t size = 0;
};

// How a request's body is delimited. Whatever two readers could understand differently (both
// framings, a repeated length, a length with a sign) is refused.
parsed<body_framing> request_framing(const head& lines);

struct answered_request {
    bool was_head = false;
};

parsed<body_framing> answer_framing(const head& lines, unsigned status, answered_request request);

}  // namespace muster::net::http
