#include "core/rollout/zone_part.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace muster::rollout {

std::uint64_t zone_part(
    std::uint64_t limit, const std::map<node_number, std::uint64_t>& slots, node_number of) {
    const auto own = slots.find(of);
    if (own == slots.end() || own->second == 0) return 0;
    std::uint64_t owners = 0;
    std::uint64_t all = 0;
    for (const auto& [node, count] : slots) {
        owners += count > 0 ? 1 : 0;
        all += count;
    }
    if (limit <= owners) return 1;
    // One for each; the rest by slots, and what is left of that to those with the largest fraction.
    const auto rest = limit - owners;
    std::uint64_t left = rest;
    std::vector<std::pair<std::uint64_t, node_number>> fractions;
    for (const auto& [node, count] : slots) {
        left -= rest * count / all;
        fractions.emplace_back(rest * count % all, node);
    }
    std::ranges::sort(fractions, [](const auto& one, const auto& other) {
        return one.first != other.first ? one.first > other.first : one.second < other.second;
    });
    const auto place =
        std::ranges::find(fractions, of, [](const auto& each) { return each.second; });
    const auto rank = static_cast<std::uint64_t>(place - fractions.begin());
    return 1 + rest * own->second / all + (rank < left ? 1 : 0);
}

}  // namespace muster::rollout
