#pragma once

#include "adapters/net/http/head.h"
#include "adapters/net/http/http_error.h"

#include <cstdint>

namespace muster::net::http {

enum class body_kind {
    none,
    sized,        // Content-Length
    chunked,      // Transfer-Encoding: chunked
    until_close,  // responses only: ends with the connection
};

struct body_framing {
    body_kind kind = body_kind::none;
    std::uint64_t size = 0;
};

// Returns how a request's body is delimited. Refuses ambiguous heads: both framings, a repeated
// length, a length with a sign.
parsed<body_framing> request_framing(const head& head);

struct answered_request {
    bool was_head = false;
};

parsed<body_framing> response_framing(const head& head, unsigned status, answered_request request);

}  // namespace muster::net::http
