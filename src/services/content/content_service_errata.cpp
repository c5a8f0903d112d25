// Errata, subscriptions and profiles: a part of content_service.h.
#include "services/content/content_service.h"

#include <algorithm>
#include <utility>

namespace muster::content {
namespace {

constexpr std::size_t profile_name_bytes_max = 128;

}  // namespace

result<std::vector<erratum_ref>> content_service::find_errata(
    const std::vector<std::string>& names) const {
    std::vector<erratum_ref> errata;
    for (const auto& name : names) {
        auto stored = content_.find<erratum>(name);
        if (!stored) return fail(errc::not_found, "erratum \"" + name + "\" not found");
        errata.push_back(std::move(stored));
    }
    return errata;
}

async<channel_ref> content_service::publish(
    std::vector<std::string> advisories, std::string label, std::string by) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto desired, find_errata(advisories));
    co_return co_await change(
        std::move(label), std::move(by), [desired](channel& of) -> result<void> {
            for (const auto& each : desired) {
                of.row.errata = packages::united(of.row.errata, {each->row.number});
                of.row.packages = packages::united(of.row.packages, each->row.packages);
            }
            return {};
        });
}

async<channel_ref> content_service::withdraw(
    std::vector<std::string> advisories, std::string label, bool with_packages, std::string by) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto desired, find_errata(advisories));
    co_return co_await change(
        std::move(label), std::move(by), [desired, with_packages](channel& of) -> result<void> {
            for (const auto& each : desired) {
                of.row.errata = packages::without(of.row.errata, {each->row.number});
                if (with_packages)
                    of.row.packages = packages::without(of.row.packages, each->row.packages);
            }
            return {};
        });
}

async<void> content_service::remove_erratum(std::string advisory, std::string by) {
    CO_CHECK_OK(co_await content_.refresh());
    const auto gone = content_.find<erratum>(advisory);
    if (!gone) co_return fail(errc::not_found, "erratum \"" + advisory + "\" not found");
    for (const auto& each : content_.all<channel>()) {
        if (!packages::contains(each->row.errata, gone->row.number)) continue;
        CO_CHECK_OK(co_await withdraw({advisory}, each->label(), false, by));
    }
    co_return co_await mark_removed(gone->row, std::move(by));
}

async<void> content_service::subscribe(
    system_number system, std::string base, std::vector<std::string> children, std::string by) {
    CO_CHECK_OK(co_await content_.refresh());
    if (!base.empty()) {
        const auto below = content_.find<channel>(base);
        if (!below) co_return fail(errc::not_found, "channel \"" + base + "\" not found");
        if (!below->parent.empty())
            co_return fail(errc::invalid, "channel \"" + base + "\" is not a base channel");
    }
    std::ranges::sort(children);
    const auto twice = std::ranges::unique(children);
    children.erase(twice.begin(), twice.end());
    if (children.size() > children_max)
        co_return fail(errc::invalid, "system has more than 200 child channels");
    for (const auto& each : children) {
        const auto child = content_.find<channel>(each);
        if (!child) co_return fail(errc::not_found, "channel \"" + each + "\" not found");
        if (base.empty() || child->parent != base)
            co_return fail(
                errc::invalid,
                "channel \"" + each + "\" is not a child of the system's base channel");
    }
    const auto name = std::to_string(system.value());
    const auto before = content_.find<subscription>(name);
    if (before && before->base == base && before->children == children) co_return result<void>();
    subscription desired{
        .row = before ? before->row : content_.begun_from(record_kind::subscription, name),
        .base = std::move(base),
        .children = std::move(children)};
    desired.row.number = static_cast<std::uint32_t>(system.value());
    desired.row.changed_by = std::move(by);
    co_return co_await content_.write(to_record(desired));
}

async<void> content_service::save_profile(profile desired, std::string by) {
    CO_CHECK_OK(co_await content_.refresh());
    const auto name = desired.row.name;
    if (name.empty() || name.size() > profile_name_bytes_max)
        co_return fail(errc::invalid, "profile name must be 1 to 128 bytes");
    if (content_.find<profile>(name))
        co_return fail(errc::conflict, "profile \"" + name + "\" already exists");
    if (content_.count<profile>() >= library_limits::profiles_max)
        co_return fail(
            errc::conflict,
            "limit of " + std::to_string(library_limits::profiles_max) + " profiles reached");
    desired.row = content_.begun_from(record_kind::profile, name);
    if (desired.row.number == 0) {
        CO_TRY(desired.row.number, co_await numbers_.take(1));
    }
    desired.row.changed_by = std::move(by);
    co_return co_await content_.write(to_record(desired));
}

async<void> content_service::remove_profile(std::uint32_t number, std::string by) {
    CO_CHECK_OK(co_await content_.refresh());
    const auto gone = content_.find<profile>(number);
    if (!gone)
        co_return fail(errc::not_found, "profile \"" + std::to_string(number) + "\" not found");
    co_return co_await mark_removed(gone->row, std::move(by));
}

}  // namespace muster::content
