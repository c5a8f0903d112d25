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

constexpr std::int64_t unknown_package_fault = 2300;
constexpr std::int64_t invalid_parameter_fault = 1213;
constexpr std::int64_t packages_of_step_max = 2'000;
constexpr std::int64_t errata_of_step_max = 1'000;
constexpr std::int64_t systems_of_step_max = compatibility::action_chain_limits::entries_max;
constexpr std::int64_t step_timeout_seconds = 3'600;

operation chain_method(std::string name, std::string summary, std::vector<parameter> parameters) {
    parameters.push_back(argument("chainLabel", api::name()));
    const method_defaults chain{
        .prefix = "actionchain.", .change_right = right::jobs_run, .change_scope = scope::filtered};
    return chain.change_method(
        std::move(name), std::move(summary), std::move(parameters), action_id());
}

operation packages_method(std::string name, std::string summary) {
    return chain_method(
        std::move(name),
        std::move(summary),
        {argument("sid", system_id()),
         argument("packageIds", list_of(content_number(), packages_of_step_max))});
}

compatibility::chain_entry package_step(const std::string& action, json::array specs) {
    compatibility::chain_entry entry{.function = "packages.change"};
    entry.arguments =
        json::serialize(json::object{{"action", action}, {"packages", std::move(specs)}});
    entry.timeout_seconds = step_timeout_seconds;
    return entry;
}

}  // namespace

result<void> chain_package_methods::declare(method_registry& registry) {
    const fault_codes codes{.not_found = unknown_package_fault};
    CHECK_OK(registry.add(
        {packages_method("addPackageInstall", "Add the installation of packages to a chain"),
         handler(this, &chain_package_methods::install),
         codes}));
    CHECK_OK(registry.add(
        {packages_method("addPackageRemoval", "Add the removal of packages to a chain"),
         handler(this, &chain_package_methods::remove),
         codes}));
    CHECK_OK(registry.add(
        {packages_method("addPackageUpgrade", "Add the upgrade of packages to a chain"),
         handler(this, &chain_package_methods::upgrade),
         codes}));
    CHECK_OK(registry.add(
        {packages_method(
             "addPackageVerify", "Refused: verification is not supported for Salt systems"),
         handler(this, &chain_package_methods::verify),
         {.conflict = invalid_parameter_fault}}));
    const auto errata = argument("errataIds", list_of(content_number(), errata_of_step_max));
    const auto systems = argument("sids", list_of(system_id(), systems_of_step_max));
    auto by_system = chain_method(
        "addErrataUpdate", "Add errata updates to a chain", {argument("sid", system_id()), errata});
    auto by_systems = chain_method("addErrataUpdate", by_system.summary, {systems, errata});
    auto with_relevance = by_systems;
    with_relevance.takes.push_back(argument("onlyRelevant", flag()));
    for (auto* const method : {&by_system, &by_systems, &with_relevance}) {
        CHECK_OK(registry.add(
            {std::move(*method), handler(this, &chain_package_methods::apply_errata), codes}));
    }
    return {};
}

async<method_response> chain_package_methods::add(call call, std::string action) const {
    CO_CHECK_OK(co_await deps_.content.refresh());
    json::array specs;
    for (const auto number : read_integers(call, "packageIds")) {
        CO_TRY(const auto match, deps_.content.package(number));
        const auto& spec = match->what;
        specs.emplace_back(
            fmt::format("{} {} {}", spec.name, packages::to_string(spec.at), spec.arch));
    }
    if (specs.empty()) co_return fail(errc::invalid, "at least one package required");
    auto work = deps_.chains.add_entry(call, package_step(action, std::move(specs)));
    CO_TRY(const auto number, co_await std::move(work));
    co_return method_response{number};
}

async<method_response> chain_package_methods::install(call call) {
    return add(std::move(call), "install");
}

async<method_response> chain_package_methods::remove(call call) {
    return add(std::move(call), "remove");
}

async<method_response> chain_package_methods::upgrade(call call) {
    return add(std::move(call), "upgrade");
}

// The same error as for clients of systems with Salt.
async<method_response> chain_package_methods::verify(call call) {
    CO_CHECK_OK(deps_.content.fleet().find(call, call.integer("sid")));
    co_return fail(errc::conflict, "Action chaining is not supported for salt minions");
}

// Selects the packages of the errata now. Returns the number of the first step.
async<method_response> chain_package_methods::apply_errata(call call) {
    CO_CHECK_OK(co_await deps_.content.refresh());
    CO_TRY(const auto upgrades, co_await deps_.packages.upgrades_by_errata(call));
    std::optional<std::int64_t> first;
    for (const auto& [packages, systems] : upgrades) {
        json::array specs;
        for (const auto& package : packages) specs.emplace_back(package);
        auto entry = package_step("upgrade", std::move(specs));
        entry.name = "Patch Update";
        for (const auto system : systems) {
            entry.system = system;
            CO_TRY(const auto number, co_await deps_.chains.add_entry(call, entry));
            call.set_partly_done();
            first = first.value_or(number);
        }
    }
    if (!first)
        co_return fail(errc::invalid, "none of these errata has newer packages for these systems");
    co_return method_response{*first};
}

}  // namespace muster::xmlrpc_api
