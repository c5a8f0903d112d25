#include "apps/agent/tasks/line_difference.h"

#include "apps/agent/tasks/captured_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace muster::agent {
namespace {

bool is_text(std::string_view bytes) {
    return !bytes.contains('\0') && !as_utf8(bytes).replaced;
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> result;
    while (!text.empty()) {
        const auto end = text.find('\n');
        result.push_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return result;
}

}  // namespace

std::string line_difference(
    std::string_view before, std::string_view after, std::size_t bytes_max) {
    if (before == after) return {};
    if (!is_text(before) || !is_text(after)) return {};
    const auto old = lines_of(before);
    const auto now = lines_of(after);
    const auto shorter = std::min(old.size(), now.size());
    std::size_t head = 0;
    while (head < shorter && old[head] == now[head]) ++head;
    std::size_t tail = 0;
    while (tail < shorter - head && old[old.size() - 1 - tail] == now[now.size() - 1 - tail])
        ++tail;
    auto result = fmt::format(
        "@@ -{},{} +{},{} @@\n",
        head + 1,
        old.size() - head - tail,
        head + 1,
        now.size() - head - tail);
    for (auto at = head; at < old.size() - tail && result.size() < bytes_max; ++at)
        result += fmt::format("-{}\n", old[at]);
    for (auto at = head; at < now.size() - tail && result.size() < bytes_max; ++at)
        result += fmt::format("+{}\n", now[at]);
    if (result.size() <= bytes_max) return result;
    result.resize(bytes_max);
    while (!is_text(result)) result.pop_back();  // not within a letter
    return result + "...\n";
}

}  // namespace muster::agent
