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
    value::list made;
    std::int64_t number = 0;
    for (const auto& each : packages::compare_lists(here, there)) {
        const auto& shown = each.here ? *each.here : *each.there;
        made.push_back(value::record{
            {"package_name_id", ++number},
            {"package_name", shown.name},
            {"package_epoch", shown.at.epoch},
            {"package_version", shown.at.version},
            {"package_release", shown.at.release},
            {"package_arch", shown.arch},
            {"this_system", edition_shown(each.here)},
            {"other_system", edition_shown(each.there)},
            {"comparison", static_cast<int>(each.differs)}});
    }
    return made;
}

}  // namespace

result<void> system_package_methods::declare(method_book& to) {
    CHECK_OK(declare_packages(to));
    CHECK_OK(declare_errata(to));
    return declare_comparisons(to);
}

result<void> system_package_methods::declare_packages(method_book& to) {
    const fault_codes codes{.not_found = package_unknown};
    const auto add = [&](operation what, async<answer> (system_package_methods::*does)(call)) {
        return to.add({std::move(what), done_by(this, does), codes});
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

result<void> system_package_methods::declare_errata(method_book& to) {
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

result<void> system_package_methods::declare_comparisons(method_book& to) {
    const fault_codes codes{.conflict = profile_taken};
    const auto add = [&](operation what, async<answer> (system_package_methods::*does)(call)) {
        return to.add({std::move(what), done_by(this, does), codes});
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

async<answer> system_package_methods::list_installed(call asked) {
    CO_TRY(const auto system, view_.fleet().find(asked, asked.integer("sid")));
    CO_TRY(const auto installed, co_await view_.installed_on(system));
    co_return told_in_pieces(installed->all.size(), [installed](std::size_t at) {
        return installed_entry(installed->kind, installed->all[at]);
    });
}

async<answer> system_package_methods::list_upgradable(call asked) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto system, view_.fleet().find(asked, asked.integer("sid")));
    CO_TRY(const auto installed, co_await view_.installed_on(system));
    co_return told_one_by_one<packages::upgrade>(
        packages::upgrades_of(*installed, *view_.shelf_of(system)), upgrade_entry);
}

async<answer> system_package_methods::list_installable(call asked) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto system, view_.fleet().find(asked, asked.integer("sid")));
    CO_TRY(const auto installed, co_await view_.installed_on(system));
    auto newest = view_.shelf_of(system)->newest_of_all();
    std::erase_if(newest, [&](const packages::offer_ref& each) {
        return !packages::installed_as(*installed, each->what.name).empty();
    });
    co_return told_one_by_one<packages::offer_ref>(
        std::move(newest), [&books = view_.books()](const packages::offer_ref& each) {
            const auto kept = books.find_package(each->number);
            return kept ? package_entry(*kept) : value();
        });
}

async<answer> system_package_methods::list_latest_of(call asked) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto systems, view_.fleet().find_all(asked));
    value::list made;
    for (const auto& each : systems) {
        const auto newest = view_.shelf_of(each)->newest(asked.text("packageName"));
        if (!newest) continue;
        auto shown = installed_entry(newest->kind, newest->what);
        shown.get<value::record>()->push_back({"id", std::int64_t{newest->number}});
        made.push_back(value::record{
            {"id", each.number.value()}, {"name", each.name}, {"package", std::move(shown)}});
    }
    co_return answer{std::move(made)};
}

async<answer> system_package_methods::systems_with(call asked) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto wanted, view_.package(asked.integer("pid")));
    CO_TRY(auto systems, view_.fleet().meant(asked));
    const auto has = [wanted](const package_list& list, const std::vector<std::string>&) {
        return list.kind == wanted->kind && std::ranges::binary_search(list.all, wanted->what);
    };
    CO_TRY(auto those, co_await view_.among(std::move(systems), has));
    co_return view_.fleet().list(std::move(those));
}

async<answer> system_package_methods::systems_with_named(call asked) {
    CO_TRY(auto systems, view_.fleet().meant(asked));
    const auto has = [asked](const package_list& list, const std::vector<std::string>&) {
        return std::ranges::any_of(
            packages::installed_as(list, asked.text("name")), [&](const package& each) {
                return each.at.version == asked.text("version")
                       && shown_release(list.kind, each.at) == asked.text("release");
            });
    };
    CO_TRY(auto those, co_await view_.among(std::move(systems), has));
    co_return view_.fleet().list(std::move(those));
}

async<answer> system_package_methods::relevant_errata(call asked) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto system, view_.fleet().find(asked, asked.integer("sid")));
    CO_TRY(auto found, co_await view_.relevant_to(system));
    co_return told_one_by_one<content::erratum_ref>(
        std::move(found), [](const content::erratum_ref& each) { return erratum_overview(*each); });
}

async<answer> system_package_methods::relevant_errata_of_many(call asked) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto systems, view_.fleet().find_all(asked));
    value::list made;
    const auto ends = view_.question_ends();
    for (const auto& each : systems) {
        CO_CHECK_OK(view_.check_time(ends, {.done = made.size(), .of = systems.size()}));
        CO_TRY(const auto found, co_await view_.relevant_to(each));
        value::list told;
        for (const auto& erratum : found) told.push_back(erratum_overview(*erratum));
        made.push_back(
            value::record{{"system_id", each.number.value()}, {"errata", std::move(told)}});
    }
    co_return answer{std::move(made)};
}

async<answer> system_package_methods::compare_systems(call asked) {
    CO_TRY(const auto here, view_.fleet().find(asked, asked.integer("sid1")));
    CO_TRY(const auto there, view_.fleet().find(asked, asked.integer("sid2")));
    CO_TRY(const auto first, co_await view_.installed_on(here));
    CO_TRY(const auto second, co_await view_.installed_on(there));
    co_return answer{differences(*first, *second)};
}

async<answer> system_package_methods::list_profiles(call /*asked*/) {
    CO_CHECK_OK(co_await view_.catch_up());
    value::list made;
    for (const auto& each : view_.books().all<content::profile>())
        made.push_back(value::record{
            {"id", std::int64_t{each->row.number}},
            {"name", each->row.name},
            {"channel", each->channel}});
    co_return answer{std::move(made)};
}

async<answer> system_package_methods::create_profile(call asked) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto system, view_.fleet().find(asked, asked.integer("sid")));
    asked.set_subject(asked.text("profileLabel"));
    content::profile wanted;
    wanted.row.name = asked.text("profileLabel");
    wanted.description = asked.text("description");
    wanted.digest = view_.digest_of(system);
    const auto has = view_.books().subscription_of(system.number);
    wanted.channel = has ? has->base : "";
    CO_CHECK_OK(co_await view_.around().sets.find(wanted.digest));
    CO_CHECK_OK(co_await view_.desk().save_profile(std::move(wanted), asked.who().user));
    co_return answer{1};
}

async<answer> system_package_methods::remove_profile(call asked) {
    const auto number = asked.integer("profileId");
    asked.set_subject(std::to_string(number));
    auto work = view_.desk().remove_profile(static_cast<std::uint32_t>(number), asked.who().user);
    CO_CHECK_OK(co_await std::move(work));
    co_return answer{1};
}

async<answer> system_package_methods::compare_profile(call asked) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto system, view_.fleet().find(asked, asked.integer("sid")));
    const auto profile = view_.books().find<content::profile>(asked.text("profileLabel"));
    if (!profile)
        co_return fail(errc::not_found, "There is no profile " + asked.text("profileLabel"));
    CO_TRY(const auto here, co_await view_.installed_on(system));
    CO_TRY(const auto kept, co_await view_.around().sets.find(profile->digest));
    co_return answer{differences(*here, *kept)};
}

}  // namespace muster::xmlrpc_api
