#include "core/packages/shelf.h"

#include "core/packages/version_order.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace muster::packages {
namespace {

bool comes_before(const offer_ref& one, const offer_ref& other) {
    return std::tie(one->what.name, one->what.arch, one->number)
           < std::tie(other->what.name, other->what.arch, other->number);
}

std::string_view name_of(const offer_ref& of) {
    return of->what.name;
}

bool better(const offer_ref& one, const offer_ref& than) {
    return than == nullptr || is_newer(one->kind, one->what.at, than->what.at);
}

}  // namespace

shelf::shelf(std::vector<offer_ref> all) : all_(std::move(all)) {
    std::ranges::sort(all_, comes_before);
    const auto twice = std::ranges::unique(
        all_, [](const offer_ref& a, const offer_ref& b) { return a->number == b->number; });
    all_.erase(twice.begin(), twice.end());
}

std::span<const offer_ref> shelf::named(std::string_view name) const {
    const auto found = std::ranges::equal_range(all_, name, {}, name_of);
    return {found.begin(), found.end()};
}

bool shelf::has(std::uint32_t number, std::string_view name) const {
    return std::ranges::any_of(
        named(name), [number](const offer_ref& each) { return each->number == number; });
}

offer_ref shelf::newest(std::string_view name, std::string_view arch) const {
    offer_ref best;
    for (const auto& each : named(name)) {
        if (!arch.empty() && !fits_arch(each->what.arch, arch)) continue;
        if (better(each, best)) best = each;
    }
    return best;
}

std::vector<offer_ref> shelf::newest_of_all() const {
    std::vector<offer_ref> made;
    for (const auto& each : all_) {
        const bool another = made.empty() || made.back()->what.name != each->what.name
                             || made.back()->what.arch != each->what.arch;
        if (another)
            made.push_back(each);
        else if (better(each, made.back()))
            made.back() = each;
    }
    return made;
}

std::span<const package> installed_as(const package_list& installed, std::string_view name) {
    const auto found = std::ranges::equal_range(
        installed.all, name, {}, [](const package& each) { return std::string_view(each.name); });
    return {found.begin(), found.end()};
}

std::vector<upgrade> upgrades_of(const package_list& installed, const shelf& available) {
    std::vector<upgrade> made;
    for (const auto& each : installed.all) {
        // Of one name and architecture there is one entry, the last that is as new as any.
        const bool again = !made.empty() && made.back().from.name == each.name
                           && made.back().from.arch == each.arch;
        const auto newest = available.newest(each.name, each.arch);
        const bool newer =
            newest != nullptr && newest->kind == installed.kind && upgrades(installed, *newest);
        if (!newer) continue;
        if (!again)
            made.push_back({.from = each, .to = newest});
        else if (is_newer(installed.kind, each.at, made.back().from.at))
            made.back().from = each;
    }
    return made;
}

number_set newer_numbers(const package_list& installed, const shelf& available) {
    std::vector<std::uint32_t> found;
    std::string_view last;
    for (const auto& each : installed.all) {
        if (each.name == last) continue;
        last = each.name;
        for (const auto& offered : available.named(each.name))
            if (upgrades(installed, *offered)) found.push_back(offered->number);
    }
    return make_set(std::move(found));
}

bool upgrades(const package_list& installed, const offer& available) {
    if (installed.kind != available.kind) return false;
    bool any = false;
    for (const auto& each : installed_as(installed, available.what.name)) {
        if (!fits_arch(each.arch, available.what.arch)) continue;
        if (!is_newer(installed.kind, available.what.at, each.at)) return false;
        any = true;
    }
    return any;
}

}  // namespace muster::packages
