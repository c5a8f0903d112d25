#include "api/xmlrpc/methods/system_package_methods.h"

#include "core/packages/comparison.h"
#include "services/content/architectures.h"

#include <algorithm>
#include <utility>

namespace muster::xmlrpc_api {

using namespace api;
using access::right;
using packages::package;
using packages::package_list;

namespace {

constexpr std::int64_t package_unknown = 2300;
constexpr std::int64_t profile_taken = 1073;
constexpr std::int64_t systems_of_question_max = 1'000;

value installed_entry(packages::family kind, const package& of) {
    return value::record{
        {"name", of.name},
        {"version", of.at.version},
        {"release", shown_release(kind, of.at)},
        {"epoch", shown_epoch(kind, of.at)},
        {"arch", content::arch_label(kind, of.arch)}};
}

value upgrade_entry(const packages::upgrade& of) {
    const auto kind = of.to->kind;
    return value::record{
        {"name", of.from.name},
        {"arch", content::arch_label(kind, of.to->what.arch)},
        {"from_version", of.from.at.version},
        {"from_release", shown_release(kind, of.from.at)},
        {"from_epoch", shown_epoch(kind, of.from.at)},
        {"to_version", of.to->what.at.version},
        {"to_release", shown_release(kind, of.to->what.at)},
        {"to_epoch", shown_epoch(kind, of.to->what.at)},
        {"to_arch", content::arch_label(kind, of.to->what.arch)},
        {"to_package_id", std::int64_t{of.to->number}}};
}

std::string edition_shown(const std::optional<package>& of) {
    return of ? packages::to_string(of->at) : std::string();
}

value::list differences(const package_list& here, const package_list& there) {
    value::list list;
    std::int64_t number = 0;
    for (const auto& each : packages::compare_lists(here, there)) {
        const auto& output = each.here ? *each.here : *each.there;
        list.push_back(value::record{
            {"package_name_id", ++number},
            {"package_name", output.name},
            {"package_epoch", output.at.epoch},
            {"package_version", output.at.version},
            {"package_release", output.at.release},
            {"package_arch", output.arch},
            {"this_system", edition_shown(each.here)},
            {"other_system", edition_shown(each.there)},
            {"comparison", static_cast<int>(each.differs)}});
    }
    return list;
}

}  // namespace

result<void> system_package_methods::declare(method_registry& to) {
    CHECK_OK(declare_packages(to));
    CHECK_OK(declare_errata(to));
    return declare_comparisons(to);
}

result<void> system_package_methods::declare_packages(method_registry& to) {
    const fault_codes codes{.not_found = package_unknown};
    const auto add = [&](operation operation, async<answer> (system_package_methods::*does)(call)) {
        return to.add({std::move(operation), done_by(this, does), codes});
    };
    const auto some = list_of(anything());
    CHECK_OK(
        add(asking("system.listPackages", "What is installed on a system", {one_system()}, some),
            &system_package_methods::list_installed));
    CHECK_OK(
        add(asking(
                "system.listLatestUpgradablePackages",
                "Installed packages of which the system's channels have newer ones",
                {one_system()},
                some),
            &system_package_methods::list_upgradable));
    CHECK_OK(
        add(asking(
                "system.listLatestInstallablePackages",
                "The newest packages of the system's channels that it has not installed",
                {one_system()},
                some),
            &system_package_methods::list_installable));
    CHECK_OK(
        add(asking(
                "system.listLatestAvailablePackage",
                "The newest package of a name that systems can get from their channels",
                {argument("sids", list_of(system_id(), systems_of_question_max)),
                 argument("packageName", api::name())},
                some),
            &system_package_methods::list_latest_of));
    CHECK_OK(
        add(asking(
                "system.listSystemsWithPackage",
                "The systems on which a package is installed",
                {argument("pid", content_number())},
                some),
            &system_package_methods::systems_with));
    return add(
        asking(
            "system.listSystemsWithPackage",
            "The systems on which a package is installed",
            {argument("name", api::name()),
             argument("version", text()),
             argument("release", text())},
            some),
        &system_package_methods::systems_with_named);
}

result<void> system_package_methods::declare_errata(method_registry& to) {
    const auto some = list_of(anything());
    CHECK_OK(to.add(
        {asking(
             "system.getRelevantErrata",
             "Errata with newer packages for a system",
             {one_system()},
             some),
         done_by(this, &system_package_methods::relevant_errata)}));
    return to.add(
        {asking(
             "system.getRelevantErrata",
             "Errata with newer packages for systems",
             {argument("sids", list_of(system_id(), systems_of_question_max))},
             some),
         done_by(this, &system_package_methods::relevant_errata_of_many)});
}

result<void> system_package_methods::declare_comparisons(method_registry& to) {
    const fault_codes codes{.conflict = profile_taken};
    const auto add = [&](operation operation, async<answer> (system_package_methods::*does)(call)) {
        return to.add({std::move(operation), done_by(this, does), codes});
    };
    const auto some = list_of(anything());
    const auto name = argument("profileLabel", api::name());
    CHECK_OK(
        add(asking_by_post(asking(
                "system.comparePackages",
                "In which packages two systems differ",
                {argument("sid1", system_id()), argument("sid2", system_id())},
                some)),
            &system_package_methods::compare_systems));
    CHECK_OK(
        add(asking("system.listPackageProfiles", "Which profiles of packages there are", {}, some),
            &system_package_methods::list_profiles));
    CHECK_OK(
        add(changing_systems(
                "system.createPackageProfile",
                "Keeps what is installed on a system under a name",
                {one_system(), name, argument("description", text())}),
            &system_package_methods::create_profile));
    CHECK_OK(
        add(changing(
                "system.deletePackageProfile",
                "Forgets a profile",
                {argument("profileId", content_number())},
                right::systems_change),
            &system_package_methods::remove_profile));
    return add(
        asking_by_post(asking(
            "system.comparePackageProfile",
            "In which packages a system differs from a profile",
            {one_system(), name},
            some)),
        &system_package_methods::compare_profile);
}

async<answer> system_package_methods::list_installed(call call) {
    CO_TRY(const auto system, view_.fleet().find(call, call.integer("sid")));
    CO_TRY(const auto installed, co_await view_.installed_on(system));
    co_return told_in_pieces(installed->all.size(), [installed](std::size_t at) {
        return installed_entry(installed->kind, installed->all[at]);
    });
}

async<answer> system_package_methods::list_upgradable(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto system, view_.fleet().find(call, call.integer("sid")));
    CO_TRY(const auto installed, co_await view_.installed_on(system));
    co_return told_one_by_one<packages::upgrade>(
        packages::upgrades_of(*installed, *view_.shelf_of(system)), upgrade_entry);
}

async<answer> system_package_methods::list_installable(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto system, view_.fleet().find(call, call.integer("sid")));
    CO_TRY(const auto installed, co_await view_.installed_on(system));
    auto newest = view_.shelf_of(system)->newest_of_all();
    std::erase_if(newest, [&](const packages::offer_ref& offer_ref) {
        return !packages::installed_as(*installed, offer_ref->what.name).empty();
    });
    co_return told_one_by_one<packages::offer_ref>(
        std::move(newest), [&books = view_.books()](const packages::offer_ref& offer_ref) {
            const auto package = books.find_package(offer_ref->number);
            return package ? package_entry(*package) : value();
        });
}

async<answer> system_package_methods::list_latest_of(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto systems, view_.fleet().find_all(call));
    value::list list;
    for (const auto& system : systems) {
        const auto newest = view_.shelf_of(system)->newest(call.text("packageName"));
        if (!newest) continue;
        auto output = installed_entry(newest->kind, newest->what);
        output.get<value::record>()->push_back({"id", std::int64_t{newest->number}});
        list.push_back(value::record{
            {"id", system.number.value()}, {"name", system.name}, {"package", std::move(output)}});
    }
    co_return answer{std::move(list)};
}

async<answer> system_package_methods::systems_with(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto desired, view_.package(call.integer("pid")));
    CO_TRY(auto systems, view_.fleet().meant(call));
    const auto has = [desired](const package_list& list, const std::vector<std::string>&) {
        return list.kind == desired->kind && std::ranges::binary_search(list.all, desired->what);
    };
    CO_TRY(auto those, co_await view_.among(std::move(systems), has));
    co_return view_.fleet().list(std::move(those));
}

async<answer> system_package_methods::systems_with_named(call call) {
    CO_TRY(auto systems, view_.fleet().meant(call));
    const auto has = [call](const package_list& list, const std::vector<std::string>&) {
        return std::ranges::any_of(
            packages::installed_as(list, call.text("name")), [&](const package& package) {
                return package.at.version == call.text("version")
                       && shown_release(list.kind, package.at) == call.text("release");
            });
    };
    CO_TRY(auto those, co_await view_.among(std::move(systems), has));
    co_return view_.fleet().list(std::move(those));
}

async<answer> system_package_methods::relevant_errata(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto system, view_.fleet().find(call, call.integer("sid")));
    CO_TRY(auto match, co_await view_.relevant_to(system));
    co_return told_one_by_one<content::erratum_ref>(
        std::move(match),
        [](const content::erratum_ref& erratum_ref) { return erratum_overview(*erratum_ref); });
}

async<answer> system_package_methods::relevant_errata_of_many(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto systems, view_.fleet().find_all(call));
    value::list list;
    const auto ends = view_.question_ends();
    for (const auto& system : systems) {
        CO_CHECK_OK(view_.check_time(ends, {.done = list.size(), .of = systems.size()}));
        CO_TRY(const auto match, co_await view_.relevant_to(system));
        value::list response;
        for (const auto& erratum : match) response.push_back(erratum_overview(*erratum));
        list.push_back(
            value::record{{"system_id", system.number.value()}, {"errata", std::move(response)}});
    }
    co_return answer{std::move(list)};
}

async<answer> system_package_methods::compare_systems(call call) {
    CO_TRY(const auto here, view_.fleet().find(call, call.integer("sid1")));
    CO_TRY(const auto there, view_.fleet().find(call, call.integer("sid2")));
    CO_TRY(const auto first, co_await view_.installed_on(here));
    CO_TRY(const auto second, co_await view_.installed_on(there));
    co_return answer{differences(*first, *second)};
}

async<answer> system_package_methods::list_profiles(call /*asked*/) {
    CO_CHECK_OK(co_await view_.catch_up());
    value::list list;
    for (const auto& each : view_.books().all<content::profile>())
        list.push_back(value::record{
            {"id", std::int64_t{each->row.number}},
            {"name", each->row.name},
            {"channel", each->channel}});
    co_return answer{std::move(list)};
}

async<answer> system_package_methods::create_profile(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto system, view_.fleet().find(call, call.integer("sid")));
    call.set_subject(call.text("profileLabel"));
    content::profile profile;
    profile.row.name = call.text("profileLabel");
    profile.description = call.text("description");
    profile.digest = view_.digest_of(system);
    const auto has = view_.books().subscription_of(system.number);
    profile.channel = has ? has->base : "";
    CO_CHECK_OK(co_await view_.around().sets.find(profile.digest));
    CO_CHECK_OK(co_await view_.service().save_profile(std::move(profile), call.who().user));
    co_return answer{1};
}

async<answer> system_package_methods::remove_profile(call call) {
    const auto number = call.integer("profileId");
    call.set_subject(std::to_string(number));
    auto work = view_.service().remove_profile(static_cast<std::uint32_t>(number), call.who().user);
    CO_CHECK_OK(co_await std::move(work));
    co_return answer{1};
}

async<answer> system_package_methods::compare_profile(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto system, view_.fleet().find(call, call.integer("sid")));
    const auto profile = view_.books().find<content::profile>(call.text("profileLabel"));
    if (!profile)
        co_return fail(errc::not_found, "There is no profile " + call.text("profileLabel"));
    CO_TRY(const auto here, co_await view_.installed_on(system));
    CO_TRY(const auto stored, co_await view_.around().sets.find(profile->digest));
    co_return answer{differences(*here, *stored)};
}

}  // namespace muster::xmlrpc_api
