#include "core/access/right.h"

#include <algorithm>
#include <array>
#include <utility>

namespace muster::access {
namespace {

constexpr std::array words{
    std::pair{right::none, "none"},
    std::pair{right::self, "self"},
    std::pair{right::fleet_read, "fleet.read"},
    std::pair{right::keys_decide, "keys.decide"},
    std::pair{right::systems_change, "systems.change"},
    std::pair{right::jobs_read, "jobs.read"},
    std::pair{right::jobs_run, "jobs.run"},
    std::pair{right::windows_change, "windows.change"},
    std::pair{right::windows_override, "windows.override"},
    std::pair{right::groups_change, "groups.change"},
    std::pair{right::schedules_change, "schedules.change"},
    std::pair{right::events_read, "events.read"},
    std::pair{right::webhooks_change, "webhooks.change"},
    std::pair{right::topology_read, "topology.read"},
    std::pair{right::topology_change, "topology.change"},
    std::pair{right::people_read, "people.read"},
    std::pair{right::people_change, "people.change"},
    std::pair{right::audit_read, "audit.read"},
    std::pair{right::common_edit, "common.edit"},
    std::pair{right::common_apply, "common.apply"},
};

rights everything() {
    const auto all = all_rights();
    return {all.begin(), all.end()};
}

const rights viewing{right::fleet_read, right::jobs_read, right::events_read, right::topology_read};

rights with(rights some, const rights& more) {
    some.insert(more.begin(), more.end());
    return some;
}

}  // namespace

std::string_view to_string(right right) {
    for (const auto& [each, word] : words) {
        if (each == right) return word;
    }
    return "none";
}

std::optional<right> parse_right(std::string_view text) {
    for (const auto& [each, word] : words) {
        if (word == text && each != right::none && each != right::self) return each;
    }
    return std::nullopt;
}

std::vector<right> all_rights() {
    std::vector<right> all;
    for (const auto& [each, word] : words) {
        if (each != right::none && each != right::self) all.push_back(each);
    }
    return all;
}

const roles& built_in_roles() {
    static const roles existing{
        {"admin", everything()},
        {"operator",
         with(
             viewing,
             {right::keys_decide,
              right::systems_change,
              right::jobs_run,
              right::windows_change,
              right::groups_change,
              right::schedules_change,
              right::common_edit})},
        {"viewer", viewing},
        {"auditor", with(viewing, {right::people_read, right::audit_read})}};
    return existing;
}

bool lies_within(std::string_view zone, std::string_view above, const zone_parents& tree) {
    std::size_t steps = 0;
    while (!zone.empty() && steps++ <= tree.size()) {
        if (zone == above) return true;
        const auto it = tree.find(zone);
        if (it == tree.end()) return false;
        zone = it->second;
    }
    return false;
}

permissions::permissions(const std::vector<grant>& grants, const roles& roles) {
    for (const auto& each : grants) {
        const auto role = roles.find(each.role);
        if (role == roles.end()) continue;  // a role that is gone gives nothing
        for (const auto what : role->second) by_right_[what].insert(each.zone);
    }
}

bool permissions::everywhere(right value) const {
    if (value == right::none || value == right::self) return true;
    const auto it = by_right_.find(value);
    return it != by_right_.end() && it->second.contains("");
}

bool permissions::in(std::string_view zone, right right, const zone_parents& tree) const {
    if (everywhere(right)) return true;
    const auto it = by_right_.find(right);
    if (it == by_right_.end()) return false;
    return std::ranges::any_of(
        it->second, [&](const auto& granted) { return lies_within(zone, granted, tree); });
}

bool permissions::anywhere(right right) const {
    return everywhere(right) || by_right_.contains(right);
}

bool permissions::covers(const permissions& other, const zone_parents& tree) const {
    for (const auto& [granted, zones] : other.by_right_) {
        for (const auto& zone : zones) {
            if (zone.empty() ? !everywhere(granted) : !in(zone, granted, tree)) return false;
        }
    }
    return true;
}

permissions permissions::within(const permissions& limit, const zone_parents& tree) const {
    permissions both;
    for (const auto& [granted, zones] : by_right_) {
        const auto limited = limit.by_right_.find(granted);
        if (limited == limit.by_right_.end()) continue;
        for (const auto& zone : zones) {
            for (const auto& other : limited->second) {
                // Two parts of a tree share the lower one of them, or nothing.
                if (other.empty() || lies_within(zone, other, tree)) {
                    both.by_right_[granted].insert(zone);
                } else if (zone.empty() || lies_within(other, zone, tree)) {
                    both.by_right_[granted].insert(other);
                }
            }
        }
    }
    return both;
}

permissions permissions::only(const rights& allowed) const {
    permissions result = *this;
    std::erase_if(
        result.by_right_, [&](const auto& entry) { return !allowed.contains(entry.first); });
    return result;
}

std::set<std::string> permissions::zones(right right, const zone_parents& tree) const {
    std::set<std::string> matches;
    for (const auto& [zone, parent] : tree) {
        if (in(zone, right, tree)) matches.insert(zone);
    }
    return matches;
}

}  // namespace muster::access
