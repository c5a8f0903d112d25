#include "core/packages/available_packages.h"

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

available_packages::available_packages(std::vector<offer_ref> all) : all_(std::move(all)) {
    std::ranges::sort(all_, comes_before);
    const auto twice = std::ranges::unique(
        all_, [](const offer_ref& a, const offer_ref& b) { return a->number == b->number; });
    all_.erase(twice.begin(), twice.end());
}

std::span<const offer_ref> available_packages::named(std::string_view name) const {
    const auto match = std::ranges::equal_range(all_, name, {}, name_of);
    return {match.begin(), match.end()};
}

bool available_packages::has(std::uint32_t number, std::string_view name) const {
    return std::ranges::any_of(
        named(name), [number](const offer_ref& offer_ref) { return offer_ref->number == number; });
}

offer_ref available_packages::newest(std::string_view name, std::string_view arch) const {
    offer_ref best;
    for (const auto& each : named(name)) {
        if (!arch.empty() && !fits_arch(each->what.arch, arch)) continue;
        if (better(each, best)) best = each;
    }
    return best;
}

std::vector<offer_ref> available_packages::newest_of_all() const {
    std::vector<offer_ref> offer_refs;
    for (const auto& each : all_) {
        const bool another = offer_refs.empty() || offer_refs.back()->what.name != each->what.name
                             || offer_refs.back()->what.arch != each->what.arch;
        if (another)
            offer_refs.push_back(each);
        else if (better(each, offer_refs.back()))
            offer_refs.back() = each;
    }
    return offer_refs;
}

std::span<const package> installed_as(const package_list& installed, std::string_view name) {
    const auto match =
        std::ranges::equal_range(installed.all, name, {}, [](const package& package) {
            return std::string_view(package.name);
        });
    return {match.begin(), match.end()};
}

std::vector<upgrade> upgrades_of(
    const package_list& installed, const available_packages& available) {
    std::vector<upgrade> result;
    for (const auto& each : installed.all) {
        // Of one name and architecture there is one entry, the last that is as new as any.
        const bool again = !result.empty() && result.back().from.name == each.name
                           && result.back().from.arch == each.arch;
        const auto newest = available.newest(each.name, each.arch);
        const bool newer =
            newest != nullptr && newest->kind == installed.kind && upgrades(installed, *newest);
        if (!newer) continue;
        if (!again)
            result.push_back({.from = each, .to = newest});
        else if (is_newer(installed.kind, each.at, result.back().from.at))
            result.back().from = each;
    }
    return result;
}

number_set newer_numbers(const package_list& installed, const available_packages& available) {
    std::vector<std::uint32_t> matches;
    std::string_view last;
    for (const auto& each : installed.all) {
        if (each.name == last) continue;
        last = each.name;
        for (const auto& offered : available.named(each.name))
            if (upgrades(installed, *offered)) matches.push_back(offered->number);
    }
    return make_set(std::move(matches));
}

bool upgrades(const package_list& installed, const available_package& available) {
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
