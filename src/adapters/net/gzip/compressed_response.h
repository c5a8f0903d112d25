#pragma once

#include "adapters/net/http/response.h"

#include <string_view>

namespace muster::net::gzip {

// Up to here packing costs more than it saves.
inline constexpr std::size_t unpacked_bytes_max = 1024;

// The answer packed by gzip, if whoever asked accepts that (the field Accept-Encoding) and it is
// worth it. One that is streamed is packed as it goes, and stays as bounded in memory as it was.
http::response compressed_response(http::response response, std::string_view accepted);

}  // namespace muster::net::gzip
