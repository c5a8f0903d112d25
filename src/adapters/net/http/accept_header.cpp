#include "adapters/net/http/accept_header.h"

#include <algorithm>

namespace muster::net::http {
namespace {

std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
    while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
    return text;
}

}  // namespace

bool accepts(std::string_view list, std::string_view value) {
    while (!list.empty()) {
        const auto end = std::min(list.find(','), list.size());
        const auto entry = list.substr(0, end);
        list.remove_prefix(std::min(end + 1, list.size()));
        const auto semicolon = std::min(entry.find(';'), entry.size());
        if (trimmed(entry.substr(0, semicolon)) != value) continue;
        const auto weight = entry.substr(semicolon);
        const auto q = weight.find("q=");
        return q == std::string_view::npos
               || weight.find_first_of("123456789", q) != std::string_view::npos;
    }
    return false;
}

}  // namespace muster::net::http
