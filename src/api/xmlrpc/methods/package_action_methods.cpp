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
constexpr auto change_timeout = std::chrono::hours(1);

operation action_method(
    std::string name, std::string summary, std::vector<parameter> parameters, shape response) {
    auto result = change_method(
        "system." + std::move(name),
        std::move(summary),
        std::move(parameters),
        right::jobs_run,
        std::move(response));
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

std::optional<wall_time> read_earliest(const call& call) {
    const auto* const argument = call.arguments().find("earliestOccurrence");
    return argument == nullptr ? std::nullopt : std::optional(*argument->get<wall_time>());
}

bool has_many_systems(const call& call) {
    return call.arguments().find("sids") != nullptr;
}

std::vector<std::int64_t> read_systems(const call& call) {
    return read_integers(call, has_many_systems(call) ? "sids" : "sid");
}

// In the syntax of the agent's function.
std::string package_spec(const package& package) {
    return fmt::format("{} {} {}", package.name, packages::to_string(package.at), package.arch);
}

json::object change_arguments(std::string_view action, const std::vector<std::string>& names) {
    json::array specs;
    for (const auto& name : names) specs.emplace_back(name);
    return {
        {"action", json::string_view(action.data(), action.size())},
        {"packages", std::move(specs)}};
}

method_response number_response(const call& call, std::int64_t number) {
    if (!has_many_systems(call)) return {number};
    return {value(value::list{value(number)})};
}

}  // namespace

result<void> package_action_methods::declare(method_registry& registry) {
    CHECK_OK(declare_changes(registry));
    CHECK_OK(declare_errata(registry));
    const auto add = [&](operation operation,
                         async<method_response> (package_action_methods::*body)(call)) {
        return registry.add({std::move(operation), handler(this, body), {}});
    };
    CHECK_OK(
        add(action_method(
                "schedulePackageUpdate",
                "Update all packages of systems",
                {systems_parameter(), earliest()},
                action_id()),
            &package_action_methods::upgrade_all));
    CHECK_OK(
        add(action_method(
                "schedulePackageRefresh",
                "Refresh the package list of a system",
                {system_parameter(), earliest()},
                action_id()),
            &package_action_methods::refresh));
    CHECK_OK(
        add(action_method(
                "scheduleSyncPackagesWithSystem",
                "Synchronize the packages of a system with another system",
                {argument("targetServerId", system_id()),
                 argument("sourceServerId", system_id()),
                 package_ids(),
                 earliest()},
                action_id()),
            &package_action_methods::sync_packages));
    const std::vector<parameter> channels{
        argument("baseChannelLabel", text()), labels_parameter("childLabels"), earliest()};
    for (const bool many : {false, true}) {
        auto parameters = channels;
        parameters.insert(parameters.begin(), many ? systems_parameter() : system_parameter());
        CHECK_OK(
            add(action_method(
                    "scheduleChangeChannels",
                    "Change the channels of systems and refresh their package lists",
                    std::move(parameters),
                    many ? action_ids() : action_id()),
                &package_action_methods::change_channels));
    }
    return {};
}

result<void> package_action_methods::declare_changes(method_registry& registry) {
    const fault_codes codes{.not_found = package_unknown};
    for (const bool many : {false, true}) {
        std::vector<parameter> parameters{
            many ? systems_parameter() : system_parameter(), package_ids(), earliest()};
        const auto response = many ? action_ids() : action_id();
        for (const bool with_modules : {false, true}) {
            if (with_modules) parameters.push_back(modules());
            CHECK_OK(registry.add(
                {action_method("schedulePackageInstall", "Install packages", parameters, response),
                 handler(this, &package_action_methods::install),
                 codes}));
            CHECK_OK(registry.add(
                {action_method("schedulePackageRemove", "Remove packages", parameters, response),
                 handler(this, &package_action_methods::remove),
                 codes}));
        }
    }
    return {};
}

result<void> package_action_methods::declare_errata(method_registry& registry) {
    const auto errata = argument("errataIds", list_of(content_number(), errata_of_action_max));
    for (const bool many : {false, true}) {
        const auto systems = many ? argument("sids", list_of(system_id(), systems_of_errata_max))
                                  : system_parameter();
        for (const auto& extra : std::vector<std::vector<parameter>>{
                 {},
                 {modules()},
                 {earliest()},
                 {earliest(), modules()},
                 {earliest(), modules(), argument("onlyRelevant", flag())}}) {
            std::vector<parameter> parameters{systems, errata};
            parameters.insert(parameters.end(), extra.begin(), extra.end());
            CHECK_OK(registry.add(
                {action_method(
                     "scheduleApplyErrata",
                     "Apply errata to systems",
                     std::move(parameters),
                     action_ids()),
                 handler(this, &package_action_methods::apply_errata)}));
        }
    }
    return {};
}

async<method_response> package_action_methods::change_packages(
    call call, std::string action, std::string name) {
    CO_CHECK_OK(co_await content_.refresh());
    std::vector<std::string> names;
    for (const auto number : read_integers(call, "packageIds")) {
        CO_TRY(const auto match, content_.package(number));
        names.push_back(package_spec(match->what));
    }
    if (names.empty()) co_return fail(errc::invalid, "at least one package required");
    auto work = actions_.create(
        call,
        {.function = "packages.change",
         .arguments = change_arguments(action, names),
         .systems = read_systems(call),
         .name = std::move(name),
         .earliest = read_earliest(call),
         .timeout = change_timeout});
    CO_TRY(const auto number, co_await std::move(work));
    co_return number_response(call, number);
}

async<method_response> package_action_methods::install(call call) {
    co_return co_await change_packages(std::move(call), "install", "Package Install");
}

async<method_response> package_action_methods::remove(call call) {
    co_return co_await change_packages(std::move(call), "remove", "Package Removal");
}

async<method_response> package_action_methods::upgrade_all(call call) {
    auto work = actions_.create(
        call,
        {.function = "packages.change",
         .arguments = change_arguments("upgrade", {}),
         .systems = read_systems(call),
         .name = "Package Update",
         .earliest = read_earliest(call),
         .timeout = change_timeout});
    CO_TRY(const auto number, co_await std::move(work));
    co_return method_response{number};
}

async<method_response> package_action_methods::refresh(call call) {
    auto work = actions_.create(
        call,
        {.function = "packages.refresh",
         .arguments = {},
         .systems = read_systems(call),
         .name = "Package List Refresh",
         .earliest = read_earliest(call),
         .windows = action_request::window_mode::ignore});
    CO_TRY(const auto number, co_await std::move(work));
    co_return method_response{number};
}

async<package_action_methods::by_packages> package_action_methods::upgrades_by_errata(
    call call) const {
    packages::number_set fixed;
    for (const auto number : read_integers(call, "errataIds")) {
        const auto erratum =
            content_.store().find<content::erratum>(static_cast<std::uint32_t>(number));
        if (!erratum)
            co_return fail(errc::not_found, fmt::format("erratum \"{}\" not found", number));
        fixed = packages::united(fixed, erratum->row.packages);
    }
    by_packages result;
    for (const auto number : read_systems(call)) {
        CO_TRY(const auto system, content_.fleet().find(call, number));
        CO_TRY(const auto installed, co_await content_.installed_on(system));
        const auto available = content_.available_to(system);
        const auto newer = packages::newer_numbers(*installed, *available);
        // If several errata fix a package, the newest one counts.
        std::map<std::pair<std::string, std::string>, packages::offer_ref> best;
        for (const auto& package : content_.store().packages_of(fixed)) {
            if (!packages::contains(newer, package->number)) continue;
            auto& candidate = best[{package->what.name, package->what.arch}];
            if (!candidate
                || packages::is_newer(package->kind, package->what.at, candidate->what.at))
                candidate = package;
        }
        std::vector<std::string> specs;
        for (const auto& [name, offer] : best) specs.push_back(package_spec(offer->what));
        if (!specs.empty()) result[std::move(specs)].push_back(number);
    }
    co_return result;
}

async<method_response> package_action_methods::apply_errata(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto upgrades, co_await upgrades_by_errata(call));
    if (upgrades.empty())
        co_return fail(errc::invalid, "none of these errata has newer packages for these systems");
    value::list list;
    for (const auto& [packages, systems] : upgrades) {
        auto work = actions_.create(
            call,
            {.function = "packages.change",
             .arguments = change_arguments("upgrade", packages),
             .systems = systems,
             .name = "Patch Update",
             .earliest = read_earliest(call),
             .timeout = change_timeout});
        CO_TRY(const auto number, co_await std::move(work));
        call.set_partly_done();
        list.push_back(number);
    }
    co_return method_response{std::move(list)};
}

async<method_response> package_action_methods::sync_packages(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto target, content_.fleet().find(call, call.integer("targetServerId")));
    CO_TRY(const auto source, content_.fleet().find(call, call.integer("sourceServerId")));
    CO_TRY(const auto target_packages, co_await content_.installed_on(target));
    CO_TRY(const auto source_packages, co_await content_.installed_on(source));
    std::vector<std::string> install;
    std::vector<std::string> remove;
    for (const auto number : read_integers(call, "packageIds")) {
        CO_TRY(const auto selected, content_.package(number));
        const auto on_source = packages::installed_as(*source_packages, selected->what.name);
        const auto on_target = packages::installed_as(*target_packages, selected->what.name);
        if (!on_source.empty() && std::ranges::count(on_target, on_source.back()) == 0)
            install.push_back(package_spec(on_source.back()));
        if (on_source.empty() && !on_target.empty()) remove.push_back(selected->what.name);
    }
    if (install.empty() && remove.empty())
        co_return fail(errc::invalid, "the systems do not differ in these packages");
    json::array steps;
    for (const auto* const names : {&install, &remove}) {
        if (names->empty()) continue;
        steps.push_back(
            {{"function", "packages.change"},
             {"arguments", change_arguments(names == &install ? "install" : "remove", *names)}});
    }
    auto work = actions_.create(
        call,
        {.function = "chain.run",
         .arguments = {{"steps", std::move(steps)}},
         .systems = {target.number.value()},
         .name = "Package Synchronization",
         .earliest = read_earliest(call),
         .timeout = change_timeout});
    CO_TRY(const auto number, co_await std::move(work));
    co_return method_response{number};
}

// The channels of a system are cluster data, so they change at once.
async<method_response> package_action_methods::change_channels(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    const auto earliest_start = read_earliest(call);
    if (earliest_start && *earliest_start > content_.deps().clock.wall() + std::chrono::minutes(1))
        co_return fail(
            errc::invalid,
            "channels are changed immediately and cannot be scheduled; call the method at that "
            "time");
    const auto base = call.text("baseChannelLabel");
    const auto children = read_labels(call, "childLabels");
    const auto zones = call.zones_with(right::systems_change);
    std::vector<system_record> systems;
    for (const auto number : read_systems(call)) {
        CO_TRY(auto match, content_.fleet().find(call, number));
        if (zones && !zones->contains(match.zone))
            co_return fail(
                errc::denied, "changing channels also requires the right systems.change");
        systems.push_back(std::move(match));
    }
    for (const auto& system : systems) {
        auto change =
            content_.service().subscribe(system.number, base, children, call.caller().user);
        CO_CHECK_OK(co_await std::move(change));
        call.set_partly_done();
    }
    auto work = actions_.create(
        call,
        {.function = "packages.refresh",
         .arguments = {},
         .systems = read_systems(call),
         .name = "Subscribe to channels",
         .windows = action_request::window_mode::ignore});
    CO_TRY(const auto number, co_await std::move(work));
    co_return number_response(call, number);
}

}  // namespace muster::xmlrpc_api
