#include "core/revision/sync_state.h"

#include <algorithm>

namespace muster::revision {

std::string_view to_string(sync_state state) {
    switch (state) {
        case sync_state::current:
            return "current";
        case sync_state::behind:
            return "behind";
        case sync_state::drifted:
            return "drifted";
        case sync_state::away:
            return "away";
        case sync_state::unknown:
            break;
    }
    return "unknown";
}

std::vector<std::string> differing_sections(const digests& published, const digests& held) {
    std::vector<std::string> names;
    for (const auto& [name, digest] : held) {
        const auto it = published.find(name);
        if (it == published.end() || it->second != digest) names.push_back(name);
    }
    return names;
}

sync_state find_sync_state(
    const digests& published,
    const std::optional<held_digests>& held,
    const sync_context& context) {
    if (!context.online) return sync_state::away;
    if (!held || published.empty()) return sync_state::unknown;
    if (differing_sections(published, held->digests).empty()) return sync_state::current;
    const auto since = std::max(context.published, held->since);
    return since + context.grace < context.now ? sync_state::drifted : sync_state::behind;
}

}  // namespace muster::revision
