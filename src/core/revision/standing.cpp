#include "core/revision/standing.h"

#include <algorithm>

namespace muster::revision {

std::string_view to_string(standing what) {
    switch (what) {
        case standing::current:
            return "current";
        case standing::behind:
            return "behind";
        case standing::drifted:
            return "drifted";
        case standing::away:
            return "away";
        case standing::unknown:
            break;
    }
    return "unknown";
}

std::vector<std::string> differing(const digests& published, const digests& held) {
    std::vector<std::string> found;
    for (const auto& [name, digest] : held) {
        const auto wanted = published.find(name);
        if (wanted == published.end() || wanted->second != digest) found.push_back(name);
    }
    return found;
}

standing judge(const digests& published, const std::optional<holding>& held, const judged& when) {
    if (!when.there) return standing::away;
    if (!held || published.empty()) return standing::unknown;
    if (differing(published, held->of).empty()) return standing::current;
    const auto since = std::max(when.published, held->since);
    return since + when.grace < when.now ? standing::drifted : standing::behind;
}

}  // namespace muster::revision
