#include "api/xmlrpc/methods/chain_config_methods.h"

#include "api/operations/group_label_policy.h"
#include "api/xmlrpc/methods/method_declarations.h"
#include "base/assert.h"
#include "ports/deadline.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;
using configuration::config_file;

constexpr std::int64_t invalid_parameter_fault = 1213;
constexpr std::int64_t files_of_step_max = 100;
constexpr std::int64_t revision_max = INT32_MAX;
constexpr auto plan_timeout = std::chrono::seconds(25);

fault_codes codes() {
    return {
        .not_found = action_not_found,
        .conflict = invalid_arguments_fault,
        .invalid = invalid_parameter_fault};
}

shape specifier() {
    return record_of(
        {required("channelLabel", name()),
         required("filePath", text()),
         required("revision", integer(1, revision_max))});
}

}  // namespace

result<void> chain_config_methods::declare(method_registry& registry) {
    const method_defaults chain{
        .prefix = "actionchain.", .change_right = right::jobs_run, .change_scope = scope::filtered};
    const auto label = argument("chainLabel", name());
    CHECK_OK(registry.add(
        {chain.change_method(
             "addConfigurationDeployment",
             "Add the deployment of configuration files to a chain",
             {label,
              system_parameter(),
              argument("revisionSpecifiers", list_of(specifier(), files_of_step_max))}),
         handler(this, &chain_config_methods::deploy),
         codes()}));
    return registry.add(
        {chain.change_method(
             "addApplyHighstate",
             "Add the deployment of all configuration files of a system to a chain",
             {system_parameter(), label},
             action_id()),
         handler(this, &chain_config_methods::apply_all),
         codes()});
}

async<config_file> chain_config_methods::read_file(requested_revision requested) const {
    CO_TRY(const auto channel, deps_.configuration.channels.find(requested.channel));
    auto lookup = deps_.configuration.files.read(
        configuration::held_by_channel(channel.number), requested.path);
    CO_TRY(auto file, co_await within(deps_.clock, plan_timeout, std::move(lookup)));
    if (file.find(requested.revision) == nullptr)
        co_return fail(
            errc::not_found,
            fmt::format("{} has no revision {}", requested.path, requested.revision));
    std::erase_if(file.revisions, [&](const configuration::file_revision& revision) {
        return revision.revision > requested.revision;
    });
    if (file.newest().kind == configuration::file_kind::sls)
        co_return fail(errc::invalid, "state files cannot be deployed to systems");
    co_return file;
}

// A deployed file can be read on the system. Callers that may not read all channels can only deploy
// files that the system has, in their current revision.
async<void> chain_config_methods::check_reach(
    call call, system_number system, requested_revision requested) const {
    const auto extent = api::read_extent(call);
    if (extent == access::extent::cluster) co_return result<void>();
    auto planned = deps_.deployment.plan(
        {system},
        {.channel = requested.channel,
         .paths = {requested.path},
         .looks_at = extent,
         .by_expression = true});
    CO_TRY(const auto plan, co_await within(deps_.clock, plan_timeout, std::move(planned)));
    const auto& parts = plan.parts;
    const bool has_file = !parts.empty() && !parts.front().files.empty();
    if (has_file && parts.front().files.front().newest().revision == requested.revision)
        co_return result<void>();
    co_return fail(
        errc::denied,
        fmt::format(
            "revision {1} of {2} in configuration channel \"{3}\" is not assigned to system {0}; "
            "deploying it requires the right fleet.read in the whole cluster",
            system.value(),
            requested.revision,
            requested.path,
            requested.channel));
}

async<std::int64_t> chain_config_methods::add(
    call call, std::vector<config_file> files, std::string name) const {
    auto build =
        deps_.deployment.arguments_of(std::move(files), configuration::deployment::mode::write);
    CO_TRY(const auto arguments, co_await within(deps_.clock, plan_timeout, std::move(build)));
    std::optional<std::int64_t> first;
    for (const auto& text : arguments) {
        compatibility::chain_entry entry{
            .name = name, .function = "files.deploy", .arguments = text};
        CO_TRY(const auto number, co_await deps_.chains.add_entry(call, std::move(entry)));
        call.set_partly_done();
        first = first.value_or(number);
    }
    MUSTER_ASSERT(first.has_value());
    co_return *first;
}

async<method_response> chain_config_methods::deploy(call call) {
    CO_TRY(const auto system, deps_.fleet.find(call, call.integer("sid")));
    std::vector<config_file> files;
    for (const auto& item : *call.arguments().find("revisionSpecifiers")->get<value::list>()) {
        requested_revision requested{
            .channel = *item.find("channelLabel")->get<std::string>(),
            .path = *item.find("filePath")->get<std::string>(),
            .revision = *item.find("revision")->get<std::int64_t>()};
        CO_CHECK_OK(co_await check_reach(call, system.number, requested));
        CO_TRY(auto file, co_await read_file(std::move(requested)));
        if (std::ranges::find(files, file.path, &config_file::path) != files.end())
            co_return fail(errc::invalid, file.path + " is given more than once");
        files.push_back(std::move(file));
    }
    if (files.empty()) co_return fail(errc::invalid, "At least one revision should be given.");
    CO_CHECK_OK(
        co_await add(call, std::move(files), "Deploy config files to system on " + system.name));
    co_return method_response{1};
}

async<method_response> chain_config_methods::apply_all(call call) {
    CO_TRY(const auto system, deps_.fleet.find(call, call.integer("sid")));
    auto planned = deps_.deployment.plan(
        {system.number}, {.looks_at = api::read_extent(call), .by_expression = true});
    CO_TRY(auto plan, co_await within(deps_.clock, plan_timeout, std::move(planned)));
    if (plan.parts.empty())
        co_return fail(
            errc::invalid, fmt::format("{} has no configuration files to apply", system.name));
    auto work = add(call, std::move(plan.parts.front().files), "Apply highstate on " + system.name);
    CO_TRY(const auto number, co_await std::move(work));
    co_return method_response{number};
}

}  // namespace muster::xmlrpc_api
