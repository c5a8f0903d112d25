#include "api/xmlrpc/methods/chain_package_methods.h"

#include "core/packages/version_order.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

namespace muster::xmlrpc_api {
namespace {

namespace json = boost::json;
using namespace api;
using access::right;

constexpr std::int64_t package_unknown = 2300;
constexpr std::int64_t wrong_parameter = 1213;
constexpr std::int64_t packages_of_step_max = 2'000;
constexpr std::int64_t errata_of_step_max = 1'000;
constexpr std::int64_t systems_of_step_max = compatibility::action_chain_limits::entries_max;
constexpr std::int64_t seconds_of_step = 3'600;

operation adding(std::string name, std::string summary, std::vector<parameter> takes) {
    takes.push_back(argument("chainLabel", api::name()));
    const method_defaults chain{
        .prefix = "actionchain.", .changes = right::jobs_run, .changes_within = scope::filtered};
    return chain.changing(std::move(name), std::move(summary), std::move(takes), action_id());
}

operation of_packages(std::string name, std::string summary) {
    return adding(
        std::move(name),
        std::move(summary),
        {argument("sid", system_id()),
         argument("packageIds", list_of(content_number(), packages_of_step_max))});
}

compatibility::chain_entry step(const std::string& action, json::array words) {
    compatibility::chain_entry entry{.function = "packages.change"};
    entry.arguments =
        json::serialize(json::object{{"action", action}, {"packages", std::move(words)}});
    entry.timeout_seconds = seconds_of_step;
    return entry;
}

}  // namespace

result<void> chain_package_methods::declare(method_registry& to) {
    const fault_codes codes{.not_found = package_unknown};
    CHECK_OK(to.add(
        {of_packages("addPackageInstall", "Adds the installation of packages to a chain"),
         done_by(this, &chain_package_methods::install),
         codes}));
    CHECK_OK(to.add(
        {of_packages("addPackageRemoval", "Adds the removal of packages to a chain"),
         done_by(this, &chain_package_methods::remove),
         codes}));
    CHECK_OK(to.add(
        {of_packages("addPackageUpgrade", "Adds the upgrade of packages to a chain"),
         done_by(this, &chain_package_methods::upgrade),
         codes}));
    CHECK_OK(to.add(
        {of_packages("addPackageVerify", "Is for systems of an old kind, which there are none of"),
         done_by(this, &chain_package_methods::verify),
         {.conflict = wrong_parameter}}));
    const auto errata = argument("errataIds", list_of(content_number(), errata_of_step_max));
    const auto many = argument("sids", list_of(system_id(), systems_of_step_max));
    auto one_system = adding(
        "addErrataUpdate",
        "Adds the upgrades of errata to a chain",
        {argument("sid", system_id()), errata});
    auto some_systems = adding("addErrataUpdate", one_system.summary, {many, errata});
    auto only_relevant = some_systems;
    only_relevant.takes.push_back(argument("onlyRelevant", flag()));
    for (auto* const each : {&one_system, &some_systems, &only_relevant}) {
        CHECK_OK(
            to.add({std::move(*each), done_by(this, &chain_package_methods::apply_errata), codes}));
    }
    return {};
}

async<answer> chain_package_methods::add(call call, std::string action) const {
    CO_CHECK_OK(co_await deps_.view.catch_up());
    json::array words;
    for (const auto number : integers_of(call, "packageIds")) {
        CO_TRY(const auto match, deps_.view.package(number));
        const auto& what = match->what;
        words.emplace_back(
            fmt::format("{} {} {}", what.name, packages::to_string(what.at), what.arch));
    }
    if (words.empty()) co_return fail(errc::invalid, "at least one package is needed");
    auto adding_it = deps_.chains.add_entry(call, step(action, std::move(words)));
    CO_TRY(const auto number, co_await std::move(adding_it));
    co_return answer{number};
}

async<answer> chain_package_methods::install(call call) {
    return add(std::move(call), "install");
}

async<answer> chain_package_methods::remove(call call) {
    return add(std::move(call), "remove");
}

async<answer> chain_package_methods::upgrade(call call) {
    return add(std::move(call), "upgrade");
}

// As clients know it from systems that have their work from an agent like this one.
async<answer> chain_package_methods::verify(call call) {
    CO_CHECK_OK(deps_.view.fleet().find(call, call.integer("sid")));
    co_return fail(errc::conflict, "Action chaining is not supported for salt minions");
}

// Which packages an erratum brings to a system is decided now. The number is that of the first.
async<answer> chain_package_methods::apply_errata(call call) {
    CO_CHECK_OK(co_await deps_.view.catch_up());
    CO_TRY(const auto desired, co_await deps_.packages.upgrades_by_errata(call));
    std::optional<std::int64_t> first;
    for (const auto& [which, systems] : desired) {
        json::array words;
        for (const auto& each : which) words.emplace_back(each);
        auto entry = step("upgrade", std::move(words));
        entry.name = "Patch Update";
        for (const auto system : systems) {
            entry.system = system;
            CO_TRY(const auto number, co_await deps_.chains.add_entry(call, entry));
            call.set_partly_done();
            first = first.value_or(number);
        }
    }
    if (!first)
        co_return fail(
            errc::invalid, "none of these errata has newer packages for one of these systems");
    co_return answer{*first};
}

}  // namespace muster::xmlrpc_api
