#pragma once

#include "base/result.h"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::membership {

// The hierarchy of zones. A right in a zone applies to all zones within it. Unknown names, and
// zones without a parent, are directly below the root.
class zone_tree {
public:
    static constexpr std::size_t depth_max = 32;
    using parents = std::map<std::string, std::string, std::less<>>;  // empty: below the root

    explicit zone_tree(parents parent_of) : parent_of_(std::move(parent_of)) {}

    // The zone, its parent and so on up to the root; at most depth_max zones.
    std::vector<std::string> path_up(std::string_view zone) const;

    // Whether `zone` is `ancestor` or within it. All zones are within the root (empty).
    bool is_within(std::string_view zone, std::string_view ancestor) const;

    // errc::invalid if the parent is unknown, within the zone, or too deep.
    result<void> check_parent(std::string_view zone, std::string_view parent) const;

    std::vector<std::string> children_of(std::string_view zone) const;

private:
    std::size_t height_of(std::string_view zone) const;

    parents parent_of_;
};

}  // namespace muster::membership
