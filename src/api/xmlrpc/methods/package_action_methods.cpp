#include "api/xmlrpc/methods/package_action_methods.h"

#include "core/packages/version_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::xmlrpc_api {

using namespace api;
using access::right;
using packages::package;

namespace {

namespace json = boost::json;

constexpr std::int64_t package_unknown = 2300;
constexpr std::int64_t packages_of_action_max = 2'000;
constexpr std::int64_t errata_of_action_max = 1'000;
constexpr std::int64_t systems_of_errata_max = 2'000;
constexpr auto change_time = std::chrono::hours(1);

operation acting(std::string name, std::string summary, std::vector<parameter> takes, shape gives) {
    auto result = changing(
        "system." + std::move(name),
        std::move(summary),
        std::move(takes),
        right::jobs_run,
        std::move(gives));
    result.within = scope::filtered;
    return result;
}

parameter package_ids() {
    return argument("packageIds", list_of(content_number(), packages_of_action_max));
}
parameter earliest() {
    return argument("earliestOccurrence", api::time());
}
parameter modules() {
    return argument("allowModules", flag());
}
shape action_ids() {
    return list_of(action_id());
}

std::optional<wall_time> earliest_in(const call& call) {
    const auto* const given = call.arguments().find("earliestOccurrence");
    return given == nullptr ? std::nullopt : std::optional(*given->get<wall_time>());
}

bool is_of_many(const call& call) {
    return call.arguments().find("sids") != nullptr;
}

std::vector<std::int64_t> systems_in(const call& call) {
    return integers_of(call, is_of_many(call) ? "sids" : "sid");
}

// As the agent's function takes it.
std::string word_of(const package& package) {
    return fmt::format("{} {} {}", package.name, packages::to_string(package.at), package.arch);
}

json::object change(std::string_view action, const std::vector<std::string>& names) {
    json::array words;
    for (const auto& name : names) words.emplace_back(name);
    return {
        {"action", json::string_view(action.data(), action.size())},
        {"packages", std::move(words)}};
}

answer numbered(const call& call, std::int64_t number) {
    if (!is_of_many(call)) return {number};
    return {value(value::list{value(number)})};
}

}  // namespace

result<void> package_action_methods::declare(method_registry& to) {
    CHECK_OK(declare_changes(to));
    CHECK_OK(declare_errata(to));
    const auto add = [&](operation operation, async<answer> (package_action_methods::*does)(call)) {
        return to.add({std::move(operation), done_by(this, does), {}});
    };
    CHECK_OK(
        add(acting(
                "schedulePackageUpdate",
                "Brings all packages of systems up to date",
                {some_systems(), earliest()},
                action_id()),
            &package_action_methods::upgrade_all));
    CHECK_OK(
        add(acting(
                "schedulePackageRefresh",
                "Lets a system tell anew what is installed on it",
                {one_system(), earliest()},
                action_id()),
            &package_action_methods::refresh));
    CHECK_OK(
        add(acting(
                "scheduleSyncPackagesWithSystem",
                "Gives a system the packages of another one",
                {argument("targetServerId", system_id()),
                 argument("sourceServerId", system_id()),
                 package_ids(),
                 earliest()},
                action_id()),
            &package_action_methods::make_alike));
    const std::vector<parameter> channels{
        argument("baseChannelLabel", text()), labels("childLabels"), earliest()};
    for (const bool many : {false, true}) {
        auto takes = channels;
        takes.insert(takes.begin(), many ? some_systems() : one_system());
        CHECK_OK(
            add(acting(
                    "scheduleChangeChannels",
                    "Gives systems other channels, and lets them tell their packages anew",
                    std::move(takes),
                    many ? action_ids() : action_id()),
                &package_action_methods::change_channels));
    }
    return {};
}

result<void> package_action_methods::declare_changes(method_registry& to) {
    const fault_codes codes{.not_found = package_unknown};
    for (const bool many : {false, true}) {
        std::vector<parameter> takes{
            many ? some_systems() : one_system(), package_ids(), earliest()};
        const auto gives = many ? action_ids() : action_id();
        for (const bool with_modules : {false, true}) {
            if (with_modules) takes.push_back(modules());
            CHECK_OK(to.add(
                {acting("schedulePackageInstall", "Installs packages", takes, gives),
                 done_by(this, &package_action_methods::install),
                 codes}));
            CHECK_OK(to.add(
                {acting("schedulePackageRemove", "Removes packages", takes, gives),
                 done_by(this, &package_action_methods::remove),
                 codes}));
        }
    }
    return {};
}

result<void> package_action_methods::declare_errata(method_registry& to) {
    const auto errata = argument("errataIds", list_of(content_number(), errata_of_action_max));
    for (const bool many : {false, true}) {
        const auto systems =
            many ? argument("sids", list_of(system_id(), systems_of_errata_max)) : one_system();
        for (const auto& further : std::vector<std::vector<parameter>>{
                 {},
                 {modules()},
                 {earliest()},
                 {earliest(), modules()},
                 {earliest(), modules(), argument("onlyRelevant", flag())}}) {
            std::vector<parameter> takes{systems, errata};
            takes.insert(takes.end(), further.begin(), further.end());
            CHECK_OK(to.add(
                {acting(
                     "scheduleApplyErrata",
                     "Upgrades the packages of errata where they are older",
                     std::move(takes),
                     action_ids()),
                 done_by(this, &package_action_methods::apply_errata)}));
        }
    }
    return {};
}

async<answer> package_action_methods::change_packages(
    call call, std::string action, std::string name) {
    CO_CHECK_OK(co_await view_.catch_up());
    std::vector<std::string> names;
    for (const auto number : integers_of(call, "packageIds")) {
        CO_TRY(const auto match, view_.package(number));
        names.push_back(word_of(match->what));
    }
    if (names.empty()) co_return fail(errc::invalid, "at least one package is needed");
    auto work = actions_.make(
        call,
        {.function = "packages.change",
         .arguments = change(action, names),
         .systems = systems_in(call),
         .name = std::move(name),
         .earliest = earliest_in(call),
         .timeout = change_time});
    CO_TRY(const auto number, co_await std::move(work));
    co_return numbered(call, number);
}

async<answer> package_action_methods::install(call call) {
    co_return co_await change_packages(std::move(call), "install", "Package Install");
}

async<answer> package_action_methods::remove(call call) {
    co_return co_await change_packages(std::move(call), "remove", "Package Removal");
}

async<answer> package_action_methods::upgrade_all(call call) {
    auto work = actions_.make(
        call,
        {.function = "packages.change",
         .arguments = change("upgrade", {}),
         .systems = systems_in(call),
         .name = "Package Update",
         .earliest = earliest_in(call),
         .timeout = change_time});
    CO_TRY(const auto number, co_await std::move(work));
    co_return answer{number};
}

async<answer> package_action_methods::refresh(call call) {
    auto work = actions_.make(
        call,
        {.function = "packages.refresh",
         .arguments = {},
         .systems = systems_in(call),
         .name = "Package List Refresh",
         .earliest = earliest_in(call),
         .within = action_request::windows::do_not_count});
    CO_TRY(const auto number, co_await std::move(work));
    co_return answer{number};
}

async<package_action_methods::by_packages> package_action_methods::upgrades_by_errata(
    call call) const {
    packages::number_set fixed;
    for (const auto number : integers_of(call, "errataIds")) {
        const auto each = view_.books().find<content::erratum>(static_cast<std::uint32_t>(number));
        if (!each) co_return fail(errc::not_found, fmt::format("There is no erratum {}", number));
        fixed = packages::united(fixed, each->row.packages);
    }
    by_packages result;
    for (const auto number : systems_in(call)) {
        CO_TRY(const auto system, view_.fleet().find(call, number));
        CO_TRY(const auto installed, co_await view_.installed_on(system));
        const auto shelf = view_.shelf_of(system);
        const auto newer = packages::newer_numbers(*installed, *shelf);
        // Of a name that several errata fix, the newest is wanted.
        std::map<std::pair<std::string, std::string>, packages::offer_ref> best;
        for (const auto& package : view_.books().packages_of(fixed)) {
            if (!packages::contains(newer, package->number)) continue;
            auto& place = best[{package->what.name, package->what.arch}];
            if (!place || packages::is_newer(package->kind, package->what.at, place->what.at))
                place = package;
        }
        std::vector<std::string> words;
        for (const auto& [name, each] : best) words.push_back(word_of(each->what));
        if (!words.empty()) result[std::move(words)].push_back(number);
    }
    co_return result;
}

async<answer> package_action_methods::apply_errata(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto desired, co_await upgrades_by_errata(call));
    if (desired.empty())
        co_return fail(
            errc::invalid, "none of these errata has newer packages for one of these systems");
    value::list list;
    for (const auto& [which, systems] : desired) {
        auto work = actions_.make(
            call,
            {.function = "packages.change",
             .arguments = change("upgrade", which),
             .systems = systems,
             .name = "Patch Update",
             .earliest = earliest_in(call),
             .timeout = change_time});
        CO_TRY(const auto number, co_await std::move(work));
        call.set_partly_done();
        list.push_back(number);
    }
    co_return answer{std::move(list)};
}

async<answer> package_action_methods::make_alike(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto target, view_.fleet().find(call, call.integer("targetServerId")));
    CO_TRY(const auto source, view_.fleet().find(call, call.integer("sourceServerId")));
    CO_TRY(const auto has, co_await view_.installed_on(target));
    CO_TRY(const auto desired, co_await view_.installed_on(source));
    std::vector<std::string> install;
    std::vector<std::string> remove;
    for (const auto number : integers_of(call, "packageIds")) {
        CO_TRY(const auto named, view_.package(number));
        const auto there = packages::installed_as(*desired, named->what.name);
        const auto here = packages::installed_as(*has, named->what.name);
        if (!there.empty() && std::ranges::count(here, there.back()) == 0)
            install.push_back(word_of(there.back()));
        if (there.empty() && !here.empty()) remove.push_back(named->what.name);
    }
    if (install.empty() && remove.empty())
        co_return fail(errc::invalid, "in these packages the systems do not differ");
    json::array steps;
    for (const auto* const which : {&install, &remove}) {
        if (which->empty()) continue;
        steps.push_back(
            {{"function", "packages.change"},
             {"arguments", change(which == &install ? "install" : "remove", *which)}});
    }
    auto work = actions_.make(
        call,
        {.function = "chain.run",
         .arguments = {{"steps", std::move(steps)}},
         .systems = {target.number.value()},
         .name = "Package Synchronization",
         .earliest = earliest_in(call),
         .timeout = change_time});
    CO_TRY(const auto number, co_await std::move(work));
    co_return answer{number};
}

// A system's channels are known to the cluster alone, so they change at once.
async<answer> package_action_methods::change_channels(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    const auto when = earliest_in(call);
    if (when && *when > view_.around().clock.wall() + std::chrono::minutes(1))
        co_return fail(
            errc::invalid, "channels are changed at once; call again when it is time for it");
    const auto base = call.text("baseChannelLabel");
    const auto children = labels_in(call, "childLabels");
    const auto zones = call.zones_with(right::systems_change);
    std::vector<system_record> systems;
    for (const auto number : systems_in(call)) {
        CO_TRY(auto match, view_.fleet().find(call, number));
        if (zones && !zones->contains(match.zone))
            co_return fail(errc::denied, "changing channels needs the right systems.change, too");
        systems.push_back(std::move(match));
    }
    for (const auto& system : systems) {
        auto change = view_.service().subscribe(system.number, base, children, call.who().user);
        CO_CHECK_OK(co_await std::move(change));
        call.set_partly_done();
    }
    auto work = actions_.make(
        call,
        {.function = "packages.refresh",
         .arguments = {},
         .systems = systems_in(call),
         .name = "Subscribe to channels",
         .within = action_request::windows::do_not_count});
    CO_TRY(const auto number, co_await std::move(work));
    co_return numbered(call, number);
}

}  // namespace muster::xmlrpc_api
