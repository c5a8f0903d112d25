#include "api/xmlrpc/methods/system_package_methods.h"

#include "core/packages/comparison.h"
#include "services/content/architectures.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::xmlrpc_api {

using namespace api;
using access::right;
using packages::package;
using packages::package_list;

namespace {

constexpr std::int64_t unknown_package_fault = 2300;
constexpr std::int64_t profile_exists_fault = 1073;
constexpr std::int64_t systems_of_query_max = 1'000;

value installed_entry(packages::family family, const package& package) {
    return value::record{
        {"name", package.name},
        {"version", package.at.version},
        {"release", release_text(family, package.at)},
        {"epoch", epoch_text(family, package.at)},
        {"arch", content::arch_label(family, package.arch)}};
}

value upgrade_entry(const packages::upgrade& upgrade) {
    const auto kind = upgrade.to->kind;
    return value::record{
        {"name", upgrade.from.name},
        {"arch", content::arch_label(kind, upgrade.to->what.arch)},
        {"from_version", upgrade.from.at.version},
        {"from_release", release_text(kind, upgrade.from.at)},
        {"from_epoch", epoch_text(kind, upgrade.from.at)},
        {"to_version", upgrade.to->what.at.version},
        {"to_release", release_text(kind, upgrade.to->what.at)},
        {"to_epoch", epoch_text(kind, upgrade.to->what.at)},
        {"to_arch", content::arch_label(kind, upgrade.to->what.arch)},
        {"to_package_id", std::int64_t{upgrade.to->number}}};
}

std::string edition_text(const std::optional<package>& package) {
    return package ? packages::to_string(package->at) : std::string();
}

value::list differences(const package_list& first, const package_list& second) {
    value::list list;
    std::int64_t number = 0;
    for (const auto& difference : packages::compare_lists(first, second)) {
        const auto& package = difference.here ? *difference.here : *difference.there;
        list.push_back(value::record{
            {"package_name_id", ++number},
            {"package_name", package.name},
            {"package_epoch", package.at.epoch},
            {"package_version", package.at.version},
            {"package_release", package.at.release},
            {"package_arch", package.arch},
            {"this_system", edition_text(difference.here)},
            {"other_system", edition_text(difference.there)},
            {"comparison", static_cast<int>(difference.differs)}});
    }
    return list;
}

}  // namespace

result<void> system_package_methods::declare(method_registry& registry) {
    CHECK_OK(declare_packages(registry));
    CHECK_OK(declare_errata(registry));
    return declare_comparisons(registry);
}

result<void> system_package_methods::declare_packages(method_registry& registry) {
    const fault_codes codes{.not_found = unknown_package_fault};
    const auto add = [&](operation operation,
                         async<method_response> (system_package_methods::*body)(call)) {
        return registry.add({std::move(operation), handler(this, body), codes});
    };
    const auto list = list_of(anything());
    CHECK_OK(
        add(read_method(
                "system.listPackages",
                "List the installed packages of a system",
                {system_parameter()},
                list),
            &system_package_methods::list_installed));
    CHECK_OK(
        add(read_method(
                "system.listLatestUpgradablePackages",
                "List the upgradable packages of a system",
                {system_parameter()},
                list),
            &system_package_methods::list_upgradable));
    CHECK_OK(
        add(read_method(
                "system.listLatestInstallablePackages",
                "List the latest installable packages of a system",
                {system_parameter()},
                list),
            &system_package_methods::list_installable));
    CHECK_OK(
        add(read_method(
                "system.listLatestAvailablePackage",
                "List the latest available package by name for systems",
                {argument("sids", list_of(system_id(), systems_of_query_max)),
                 argument("packageName", api::name())},
                list),
            &system_package_methods::list_latest));
    CHECK_OK(
        add(read_method(
                "system.listSystemsWithPackage",
                "List the systems with a package",
                {argument("pid", content_number())},
                list),
            &system_package_methods::list_systems_with_package));
    return add(
        read_method(
            "system.listSystemsWithPackage",
            "List the systems with a package",
            {argument("name", api::name()),
             argument("version", text()),
             argument("release", text())},
            list),
        &system_package_methods::list_systems_with_name);
}

result<void> system_package_methods::declare_errata(method_registry& registry) {
    const auto list = list_of(anything());
    CHECK_OK(registry.add(
        {read_method(
             "system.getRelevantErrata",
             "List the relevant errata of a system",
             {system_parameter()},
             list),
         handler(this, &system_package_methods::relevant_errata)}));
    return registry.add(
        {read_method(
             "system.getRelevantErrata",
             "List the relevant errata of systems",
             {argument("sids", list_of(system_id(), systems_of_query_max))},
             list),
         handler(this, &system_package_methods::relevant_errata_of_many)});
}

result<void> system_package_methods::declare_comparisons(method_registry& registry) {
    const fault_codes codes{.conflict = profile_exists_fault};
    const auto add = [&](operation operation,
                         async<method_response> (system_package_methods::*body)(call)) {
        return registry.add({std::move(operation), handler(this, body), codes});
    };
    const auto list = list_of(anything());
    const auto name = argument("profileLabel", api::name());
    CHECK_OK(
        add(read_by_post(read_method(
                "system.comparePackages",
                "Compare the packages of two systems",
                {argument("sid1", system_id()), argument("sid2", system_id())},
                list)),
            &system_package_methods::compare_systems));
    CHECK_OK(
        add(read_method("system.listPackageProfiles", "List package profiles", {}, list),
            &system_package_methods::list_profiles));
    CHECK_OK(
        add(systems_change_method(
                "system.createPackageProfile",
                "Create a package profile from a system",
                {system_parameter(), name, argument("description", text())}),
            &system_package_methods::create_profile));
    CHECK_OK(
        add(change_method(
                "system.deletePackageProfile",
                "Delete a package profile",
                {argument("profileId", content_number())},
                right::systems_change),
            &system_package_methods::remove_profile));
    return add(
        read_by_post(read_method(
            "system.comparePackageProfile",
            "Compare the packages of a system with a profile",
            {system_parameter(), name},
            list)),
        &system_package_methods::compare_profile);
}

async<method_response> system_package_methods::list_installed(call call) {
    CO_TRY(const auto system, content_.fleet().find(call, call.integer("sid")));
    CO_TRY(const auto installed, co_await content_.installed_on(system));
    co_return paged_list(installed->all.size(), [installed](std::size_t index) {
        return installed_entry(installed->kind, installed->all[index]);
    });
}

async<method_response> system_package_methods::list_upgradable(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto system, content_.fleet().find(call, call.integer("sid")));
    CO_TRY(const auto installed, co_await content_.installed_on(system));
    co_return paged_list<packages::upgrade>(
        packages::upgrades_of(*installed, *content_.available_to(system)), upgrade_entry);
}

async<method_response> system_package_methods::list_installable(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto system, content_.fleet().find(call, call.integer("sid")));
    CO_TRY(const auto installed, co_await content_.installed_on(system));
    auto newest = content_.available_to(system)->newest_of_all();
    std::erase_if(newest, [&](const packages::offer_ref& offer) {
        return !packages::installed_as(*installed, offer->what.name).empty();
    });
    co_return paged_list<packages::offer_ref>(
        std::move(newest), [&store = content_.store()](const packages::offer_ref& offer) {
            const auto package = store.find_package(offer->number);
            return package ? package_entry(*package) : value();
        });
}

async<method_response> system_package_methods::list_latest(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto systems, content_.fleet().find_all(call));
    value::list list;
    for (const auto& system : systems) {
        const auto newest = content_.available_to(system)->newest(call.text("packageName"));
        if (!newest) continue;
        auto entry = installed_entry(newest->kind, newest->what);
        entry.get<value::record>()->push_back({"id", std::int64_t{newest->number}});
        list.push_back(value::record{
            {"id", system.number.value()}, {"name", system.name}, {"package", std::move(entry)}});
    }
    co_return method_response{std::move(list)};
}

async<method_response> system_package_methods::list_systems_with_package(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto package, content_.package(call.integer("pid")));
    CO_TRY(auto systems, content_.fleet().find_systems(call));
    const auto has_package = [package](const package_list& list, const std::vector<std::string>&) {
        return list.kind == package->kind && std::ranges::binary_search(list.all, package->what);
    };
    CO_TRY(auto matches, co_await content_.filter_systems(std::move(systems), has_package));
    co_return content_.fleet().list(std::move(matches));
}

async<method_response> system_package_methods::list_systems_with_name(call call) {
    CO_TRY(auto systems, content_.fleet().find_systems(call));
    const auto has_package = [call](const package_list& list, const std::vector<std::string>&) {
        return std::ranges::any_of(
            packages::installed_as(list, call.text("name")), [&](const package& package) {
                return package.at.version == call.text("version")
                       && release_text(list.kind, package.at) == call.text("release");
            });
    };
    CO_TRY(auto matches, co_await content_.filter_systems(std::move(systems), has_package));
    co_return content_.fleet().list(std::move(matches));
}

async<method_response> system_package_methods::relevant_errata(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto system, content_.fleet().find(call, call.integer("sid")));
    CO_TRY(auto errata, co_await content_.relevant_errata(system));
    co_return paged_list<content::erratum_ref>(
        std::move(errata),
        [](const content::erratum_ref& erratum) { return erratum_overview(*erratum); });
}

async<method_response> system_package_methods::relevant_errata_of_many(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto systems, content_.fleet().find_all(call));
    value::list list;
    const auto deadline = content_.query_deadline();
    for (const auto& system : systems) {
        CO_CHECK_OK(
            content_.check_deadline(deadline, {.done = list.size(), .total = systems.size()}));
        CO_TRY(const auto errata, co_await content_.relevant_errata(system));
        value::list items;
        for (const auto& erratum : errata) items.push_back(erratum_overview(*erratum));
        list.push_back(
            value::record{{"system_id", system.number.value()}, {"errata", std::move(items)}});
    }
    co_return method_response{std::move(list)};
}

async<method_response> system_package_methods::compare_systems(call call) {
    CO_TRY(const auto first_system, content_.fleet().find(call, call.integer("sid1")));
    CO_TRY(const auto second_system, content_.fleet().find(call, call.integer("sid2")));
    CO_TRY(const auto first_packages, co_await content_.installed_on(first_system));
    CO_TRY(const auto second_packages, co_await content_.installed_on(second_system));
    co_return method_response{differences(*first_packages, *second_packages)};
}

async<method_response> system_package_methods::list_profiles(call /*call*/) {
    CO_CHECK_OK(co_await content_.refresh());
    value::list list;
    for (const auto& profile : content_.store().all<content::profile>())
        list.push_back(value::record{
            {"id", std::int64_t{profile->row.number}},
            {"name", profile->row.name},
            {"channel", profile->channel}});
    co_return method_response{std::move(list)};
}

async<method_response> system_package_methods::create_profile(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto system, content_.fleet().find(call, call.integer("sid")));
    call.set_subject(call.text("profileLabel"));
    content::profile profile;
    profile.row.name = call.text("profileLabel");
    profile.description = call.text("description");
    profile.digest = content_.digest_of(system);
    const auto subscription = content_.store().subscription_of(system.number);
    profile.channel = subscription ? subscription->base : "";
    CO_CHECK_OK(co_await content_.deps().sets.find(profile.digest));
    CO_CHECK_OK(co_await content_.service().save_profile(std::move(profile), call.caller().user));
    co_return method_response{1};
}

async<method_response> system_package_methods::remove_profile(call call) {
    const auto number = call.integer("profileId");
    call.set_subject(std::to_string(number));
    auto work =
        content_.service().remove_profile(static_cast<std::uint32_t>(number), call.caller().user);
    CO_CHECK_OK(co_await std::move(work));
    co_return method_response{1};
}

async<method_response> system_package_methods::compare_profile(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto system, content_.fleet().find(call, call.integer("sid")));
    const auto profile = content_.store().find<content::profile>(call.text("profileLabel"));
    if (!profile)
        co_return fail(
            errc::not_found,
            fmt::format("package profile \"{}\" not found", call.text("profileLabel")));
    CO_TRY(const auto installed, co_await content_.installed_on(system));
    CO_TRY(const auto recorded, co_await content_.deps().sets.find(profile->digest));
    co_return method_response{differences(*installed, *recorded)};
}

}  // namespace muster::xmlrpc_api
