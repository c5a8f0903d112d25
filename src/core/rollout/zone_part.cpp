#include "core/rollout/zone_part.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace muster::rollout {

std::uint64_t zone_part(
    std::uint64_t limit, const std::map<node_number, std::uint64_t>& slots, node_number node) {
    const auto own = slots.find(node);
    if (own == slots.end() || own->second == 0) return 0;
    std::uint64_t owners = 0;
    std::uint64_t slots_total = 0;
    for (const auto& [owner, count] : slots) {
        owners += count > 0 ? 1 : 0;
        slots_total += count;
    }
    if (limit <= owners) return 1;
    // One for each owner. The rest goes by slots, its remainder to the largest fractions.
    const auto rest = limit - owners;
    std::uint64_t remaining = rest;
    std::vector<std::pair<std::uint64_t, node_number>> fractions;
    for (const auto& [owner, count] : slots) {
        remaining -= rest * count / slots_total;
        fractions.emplace_back(rest * count % slots_total, owner);
    }
    std::ranges::sort(fractions, [](const auto& left, const auto& right) {
        return left.first != right.first ? left.first > right.first : left.second < right.second;
    });
    const auto position =
        std::ranges::find(fractions, node, [](const auto& entry) { return entry.second; });
    const auto rank = static_cast<std::uint64_t>(position - fractions.begin());
    return 1 + rest * own->second / slots_total + (rank < remaining ? 1 : 0);
}

}  // namespace muster::rollout
