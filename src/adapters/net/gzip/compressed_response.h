#pragma once

#include "adapters/net/http/response.h"

#include <string_view>

namespace muster::net::gzip {

// Compressing smaller bodies costs more than it saves.
inline constexpr std::size_t uncompressed_bytes_max = 1024;

// Compresses a response with gzip if `accepted` (the Accept-Encoding field) allows it and the body
// is large enough. A streamed response is compressed while it is sent, in constant memory.
http::response compressed_response(http::response response, std::string_view accepted);

}  // namespace muster::net::gzip
