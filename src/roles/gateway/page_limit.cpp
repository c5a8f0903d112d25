#include "roles/gateway/page_limit.h"

#include <charconv>

namespace muster::gateway {

result<std::size_t> page_limit_of(const net::http::request& asked) {
    const auto text = asked.query("limit");
    if (!text) return page_items_usual;
    std::size_t limit = 0;
    const auto* const end = text->data() + text->size();
    const auto [stopped, failure] = std::from_chars(text->data(), end, limit);
    if (failure != std::errc() || stopped != end || limit == 0 || limit > page_items_max)
        return fail(errc::invalid, "`limit` must be a number from 1 to 1000");
    return limit;
}

}  // namespace muster::gateway
