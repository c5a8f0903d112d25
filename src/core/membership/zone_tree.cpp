#include "core/membership/zone_tree.h"

#include <algorithm>

namespace muster::membership {

std::vector<std::string> zone_tree::path_up(std::string_view zone) const {
    std::vector<std::string> path;
    std::string current(zone);
    while (!current.empty() && path.size() < depth_max) {
        const auto it = parent_of_.find(current);
        path.push_back(std::move(current));
        current = it == parent_of_.end() ? std::string() : it->second;
    }
    return path;
}

bool zone_tree::is_within(std::string_view zone, std::string_view ancestor) const {
    if (ancestor.empty()) return true;
    const auto path = path_up(zone);
    return std::ranges::find(path, ancestor) != path.end();
}

result<void> zone_tree::check_parent(std::string_view zone, std::string_view parent) const {
    if (parent.empty()) return {};
    const std::string parent_name(parent);
    if (!parent_of_.contains(parent_name))
        return fail(errc::invalid, "zone \"" + parent_name + "\" not found");
    if (is_within(parent, zone))
        return fail(
            errc::invalid,
            "zone \"" + parent_name + "\" is inside zone \"" + std::string(zone) + "\"");
    if (path_up(parent).size() + height_of(zone) > depth_max)
        return fail(
            errc::invalid, "limit of " + std::to_string(depth_max) + " nested zones exceeded");
    return {};
}

std::vector<std::string> zone_tree::children_of(std::string_view zone) const {
    std::vector<std::string> children;
    for (const auto& [name, parent] : parent_of_)
        if (parent == zone) children.push_back(name);
    return children;
}

// One for a zone without children. Uses the paths of all zones, so there is no recursion.
std::size_t zone_tree::height_of(std::string_view zone) const {
    std::size_t height = 1;
    for (const auto& [name, parent] : parent_of_) {
        const auto path = path_up(name);
        const auto it = std::ranges::find(path, zone);
        if (it == path.end()) continue;
        height = std::max(height, static_cast<std::size_t>(it - path.begin()) + 1);
    }
    return height;
}

}  // namespace muster::membership
