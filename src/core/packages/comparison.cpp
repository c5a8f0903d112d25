#include "core/packages/comparison.h"

#include "core/packages/version_order.h"

#include <map>
#include <string_view>
#include <utility>

namespace muster::packages {
namespace {

using by_place = std::map<std::pair<std::string_view, std::string_view>, compared>;

void put(std::optional<package>& into, family kind, const package& each) {
    if (!into || is_newer(kind, each.at, into->at)) into = each;
}

difference judge(family kind, const compared& both) {
    if (!both.there) return difference::here_only;
    if (!both.here) return difference::there_only;
    const auto order = compare(kind, both.here->at, both.there->at);
    if (order == std::weak_ordering::greater) return difference::newer_here;
    if (order == std::weak_ordering::less) return difference::newer_there;
    return difference::none;
}

}  // namespace

std::vector<compared> compare_lists(const package_list& here, const package_list& there) {
    by_place by_place;
    for (const auto& each : here.all) put(by_place[{each.name, each.arch}].here, here.kind, each);
    for (const auto& each : there.all)
        put(by_place[{each.name, each.arch}].there, there.kind, each);
    std::vector<compared> compareds;
    for (auto& [place, both] : by_place) {
        both.differs = judge(here.kind, both);
        if (both.differs != difference::none) compareds.push_back(std::move(both));
    }
    return compareds;
}

}  // namespace muster::packages
