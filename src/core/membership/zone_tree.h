#pragma once

#include "base/result.h"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::membership {

// How zones lie within each other. Scope follows it: who may act in a zone may act in all that lie
// within it. Names without an entry, and zones without a parent, are right under the root.
class zone_tree {
public:
    static constexpr std::size_t depth_max = 32;
    using parents = std::map<std::string, std::string, std::less<>>;  // empty: under the root

    explicit zone_tree(parents of) : parent_of_(std::move(of)) {}

    // The zone itself, its parent, and so on up; ends at the root, at the latest after depth_max.
    std::vector<std::string> path_up(std::string_view zone) const;

    // Whether `zone` is `ancestor` or lies within it; everything lies within the root (empty).
    bool is_within(std::string_view zone, std::string_view ancestor) const;

    // errc::invalid when the parent is unknown, lies within the zone, or is too deep.
    result<void> check_parent(std::string_view zone, std::string_view parent) const;

    std::vector<std::string> children_of(std::string_view zone) const;

private:
    std::size_t height_of(std::string_view zone) const;

    parents parent_of_;
};

}  // namespace muster::membership
