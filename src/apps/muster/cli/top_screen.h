#pragma once

#include <boost/json/value.hpp>

#include <cstddef>
#include <string>

namespace muster::cli {

enum class top_order { name, attached, rate, cpu };
top_order next(top_order order);

struct screen_size {
    std::size_t columns = 80;
    std::size_t rows = 24;
};

// The screen of `muster top` for a response of /api/v1/stats: never larger than the terminal, and
// without control characters of servers.
std::string render_top(const boost::json::value& stats, top_order order, screen_size size);

}  // namespace muster::cli
