#include "runtime/settings/nearest.h"

#include <algorithm>
#include <vector>

namespace muster::runtime {

std::size_t edit_distance(std::string_view left, std::string_view right) {
    // Three rows of the usual table: a swap needs the row before the previous one.
    std::vector<std::size_t> before(right.size() + 1);
    std::vector<std::size_t> above(right.size() + 1);
    std::vector<std::size_t> row(right.size() + 1);
    for (std::size_t j = 0; j <= right.size(); ++j) above[j] = j;
    for (std::size_t i = 1; i <= left.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= right.size(); ++j) {
            const bool same = left[i - 1] == right[j - 1];
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0U : 1U)});
            const bool swapped =
                i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
        std::swap(before, above);
        std::swap(above, row);
    }
    return above[right.size()];
}

std::optional<std::string> find_nearest(
    std::string_view word, std::span<const std::string> candidates) {
    // A third of the word may be wrong; beyond that a guess is noise.
    std::size_t closest = std::max<std::size_t>(2, word.size() / 3) + 1;
    std::optional<std::string> match;
    for (const auto& candidate : candidates) {
        const auto distance = edit_distance(word, candidate);
        if (distance >= closest) continue;
        closest = distance;
        match = candidate;
    }
    return match;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
    const auto match = find_nearest(word, candidates);
    return match ? "; closest match: \"" + *match + "\"" : std::string();
}

}  // namespace muster::runtime
