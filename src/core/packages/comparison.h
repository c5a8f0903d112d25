#pragma once

#include "core/packages/list/package_list.h"

#include <optional>
#include <vector>

namespace muster::packages {

// How two systems differ in a package; the values are those that clients know.
enum class difference { none = 0, here_only = 1, newer_here = 2, there_only = 3, newer_there = 4 };

struct compared {
    std::optional<package> here;
    std::optional<package> there;
    difference differs = difference::none;
};

// All packages of both, by name and architecture; of several editions the newest counts. Those that
// are the same on both are not told.
std::vector<compared> compare_lists(const package_list& here, const package_list& there);

}  // namespace muster::packages
