#include "core/revision/sync_state.h"

#include <algorithm>

namespace muster::revision {

std::string_view to_string(sync_state what) {
    switch (what) {
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

std::vector<std::string> differing(const digests& published, const digests& held) {
    std::vector<std::string> matches;
    for (const auto& [name, digest] : held) {
        const auto desired = published.find(name);
        if (desired == published.end() || desired->second != digest) matches.push_back(name);
    }
    return matches;
}

sync_state judge(
    const digests& published, const std::optional<held_digests>& held, const judged& when) {
    if (!when.there) return sync_state::away;
    if (!held || published.empty()) return sync_state::unknown;
    if (differing(published, held->of).empty()) return sync_state::current;
    const auto since = std::max(when.published, held->since);
    return since + when.grace < when.now ? sync_state::drifted : sync_state::behind;
}

}  // namespace muster::revision
