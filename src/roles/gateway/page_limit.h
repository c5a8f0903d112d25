#pragma once

#include "adapters/net/http/request.h"

#include <cstddef>

namespace muster::gateway {

inline constexpr std::size_t page_items_max = 1'000;
inline constexpr std::size_t page_items_usual = 100;

// How many items a page of a list may have: the request's `limit`.
result<std::size_t> page_limit_of(const net::http::request& asked);

}  // namespace muster::gateway
