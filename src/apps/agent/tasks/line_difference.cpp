#include "apps/agent/tasks/line_difference.h"

#include "apps/agent/tasks/captured_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace muster::agent {
namespace {

bool is_text(std::string_view bytes) {
    return !bytes.contains('\0') && !to_utf8(bytes).replaced;
}

std::vector<std::string_view> split_lines(std::string_view text) {
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
    const auto old_lines = split_lines(before);
    const auto new_lines = split_lines(after);
    const auto shorter = std::min(old_lines.size(), new_lines.size());
    std::size_t common_head = 0;
    while (common_head < shorter && old_lines[common_head] == new_lines[common_head]) ++common_head;
    std::size_t common_tail = 0;
    while (common_tail < shorter - common_head
           && old_lines[old_lines.size() - 1 - common_tail]
                  == new_lines[new_lines.size() - 1 - common_tail])
        ++common_tail;
    auto result = fmt::format(
        "@@ -{},{} +{},{} @@\n",
        common_head + 1,
        old_lines.size() - common_head - common_tail,
        common_head + 1,
        new_lines.size() - common_head - common_tail);
    for (auto index = common_head;
         index < old_lines.size() - common_tail && result.size() < bytes_max;
         ++index)
        result += fmt::format("-{}\n", old_lines[index]);
    for (auto index = common_head;
         index < new_lines.size() - common_tail && result.size() < bytes_max;
         ++index)
        result += fmt::format("+{}\n", new_lines[index]);
    if (result.size() <= bytes_max) return result;
    result.resize(bytes_max);
    while (!is_text(result)) result.pop_back();  // not within a character
    return result + "...\n";
}

}  // namespace muster::agent
