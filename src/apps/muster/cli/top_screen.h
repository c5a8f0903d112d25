#pragma once

#include <boost/json/value.hpp>

#include <cstddef>
#include <string>

namespace muster::cli {

enum class top_order { name, attached, rate, cpu };
top_order next(top_order after);

struct screen_size {
    std::size_t columns = 80;
    std::size_t rows = 24;
};

// What `muster top` shows of an answer of /api/v1/stats: never wider or longer than the screen,
// and nothing a server says moves the cursor.
std::string render_top(const boost::json::value& stats, top_order by, screen_size on);

}  // namespace muster::cli
