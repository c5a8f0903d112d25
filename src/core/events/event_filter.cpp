#include "core/events/event_filter.h"

#include "core/events/event_kind.h"

#include <algorithm>
#include <set>

namespace muster::events {
namespace {

bool means(std::string_view pattern, std::string_view kind) {
    if (pattern == "*" || pattern == kind) return true;
    return pattern.ends_with(".*") && kind.starts_with(pattern.substr(0, pattern.size() - 1));
}

std::string known_kinds() {
    std::string text(kind::task_return);
    for (const auto each : kind::all) text += ", " + std::string(each);
    return text;
}

}  // namespace

bool event_filter::wants_all_kinds() const {
    return kinds.size() == kind::all.size();
}

result<event_filter> filter_of(const std::vector<std::string>& patterns) {
    if (patterns.size() > filter_limits::patterns_max)
        return fail(errc::invalid, "limit of 50 event kinds per filter exceeded");
    event_filter desired;
    std::set<std::string_view> met;
    if (patterns.empty()) met.insert(kind::all.begin(), kind::all.end());
    for (const auto& pattern : patterns) {
        const auto before = met.size();
        for (const auto each : kind::all)
            if (means(pattern, each)) met.insert(each);
        const bool returns = means(pattern, kind::task_return);
        const bool again = std::ranges::any_of(
            met, [&pattern](std::string_view each) { return means(pattern, each); });
        if (met.size() == before && !returns && !again)
            return fail(
                errc::invalid,
                "unknown event kind \"" + pattern + "\"; known kinds: " + known_kinds());
        desired.returns = desired.returns || returns;
    }
    desired.kinds.assign(met.begin(), met.end());
    return desired;
}

result<event_filter> filter_of(std::string_view patterns) {
    std::vector<std::string> all;
    while (!patterns.empty()) {
        const auto comma = std::min(patterns.find(','), patterns.size());
        all.emplace_back(patterns.substr(0, comma));
        patterns.remove_prefix(std::min(comma + 1, patterns.size()));
    }
    return filter_of(all);
}

}  // namespace muster::events
