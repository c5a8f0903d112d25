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

constexpr std::int64_t wrong_parameter = 1213;
constexpr std::int64_t files_of_step_max = 100;
constexpr std::int64_t revision_max = INT32_MAX;
constexpr auto plan_timeout = std::chrono::seconds(25);

fault_codes codes() {
    return {
        .not_found = no_such_action, .conflict = fault_of_arguments, .invalid = wrong_parameter};
}

shape specifier() {
    return record_of(
        {required("channelLabel", name()),
         required("filePath", text()),
         required("revision", integer(1, revision_max))});
}

}  // namespace

result<void> chain_config_methods::declare(method_registry& to) {
    const method_defaults chain{
        .prefix = "actionchain.", .changes = right::jobs_run, .changes_within = scope::filtered};
    const auto label = argument("chainLabel", name());
    CHECK_OK(to.add(
        {chain.changing(
             "addConfigurationDeployment",
             "Adds the writing of configuration files to a chain",
             {label,
              one_system(),
              argument("revisionSpecifiers", list_of(specifier(), files_of_step_max))}),
         done_by(this, &chain_config_methods::deploy),
         codes()}));
    return to.add(
        {chain.changing(
             "addApplyHighstate",
             "Adds the writing of all of a system's configuration files to a chain",
             {one_system(), label},
             action_id()),
         done_by(this, &chain_config_methods::apply_all),
         codes()});
}

async<config_file> chain_config_methods::file_of(wanted_revision wanted_revision) const {
    CO_TRY(const auto channel, deps_.configuration.channels.find(wanted_revision.channel));
    auto reading = deps_.configuration.files.read(
        configuration::held_by_channel(channel.number), wanted_revision.path);
    CO_TRY(auto file, co_await within(deps_.clock, plan_timeout, std::move(reading)));
    if (file.find(wanted_revision.revision) == nullptr)
        co_return fail(
            errc::not_found,
            fmt::format("{} has no revision {}", wanted_revision.path, wanted_revision.revision));
    std::erase_if(file.revisions, [&](const configuration::file_revision& file_revision) {
        return file_revision.revision > wanted_revision.revision;
    });
    if (file.newest().kind == configuration::file_kind::sls)
        co_return fail(errc::invalid, "states are kept, and written to no system");
    co_return file;
}

// Whoever may not look at all channels has files written that the system has, as they are now: what
// is written can be read there.
async<void> chain_config_methods::check_reach(
    call call, system_number system_number, wanted_revision wanted_revision) const {
    const auto sight = api::looks_at(call);
    if (sight == access::extent::cluster) co_return result<void>();
    auto planning = deps_.deployed.plan(
        {system_number},
        {.channel = wanted_revision.channel,
         .paths = {wanted_revision.path},
         .looks_at = sight,
         .by_expression = true});
    CO_TRY(const auto plan, co_await within(deps_.clock, plan_timeout, std::move(planning)));
    const auto& parts = plan.parts;
    const bool has = !parts.empty() && !parts.front().files.empty();
    if (has && parts.front().files.front().newest().revision == wanted_revision.revision)
        co_return result<void>();
    co_return fail(
        errc::denied,
        fmt::format(
            "system {} does not have revision {} of {} in the configuration channel {}; writing "
            "it there needs the right fleet.read in the whole cluster",
            system_number.value(),
            wanted_revision.revision,
            wanted_revision.path,
            wanted_revision.channel));
}

async<std::int64_t> chain_config_methods::add(
    call call, std::vector<config_file> files, std::string name) const {
    auto filling =
        deps_.deployed.arguments_of(std::move(files), configuration::deployment::mode::write);
    CO_TRY(const auto all, co_await within(deps_.clock, plan_timeout, std::move(filling)));
    std::optional<std::int64_t> first;
    for (const auto& each : all) {
        compatibility::chain_entry entry{
            .name = name, .function = "files.deploy", .arguments = each};
        CO_TRY(const auto number, co_await deps_.chains.add_entry(call, std::move(entry)));
        call.set_partly_done();
        first = first.value_or(number);
    }
    MUSTER_ASSERT(first.has_value());
    co_return *first;
}

async<answer> chain_config_methods::deploy(call call) {
    CO_TRY(const auto system, deps_.view.find(call, call.integer("sid")));
    std::vector<config_file> files;
    for (const auto& each : *call.arguments().find("revisionSpecifiers")->get<value::list>()) {
        wanted_revision wanted_revision{
            .channel = *each.find("channelLabel")->get<std::string>(),
            .path = *each.find("filePath")->get<std::string>(),
            .revision = *each.find("revision")->get<std::int64_t>()};
        CO_CHECK_OK(co_await check_reach(call, system.number, wanted_revision));
        CO_TRY(auto file, co_await file_of(std::move(wanted_revision)));
        if (std::ranges::find(files, file.path, &config_file::path) != files.end())
            co_return fail(errc::invalid, file.path + " is named twice");
        files.push_back(std::move(file));
    }
    if (files.empty()) co_return fail(errc::invalid, "At least one revision should be given.");
    CO_CHECK_OK(
        co_await add(call, std::move(files), "Deploy config files to system on " + system.name));
    co_return answer{1};
}

async<answer> chain_config_methods::apply_all(call call) {
    CO_TRY(const auto system, deps_.view.find(call, call.integer("sid")));
    auto planning = deps_.deployed.plan(
        {system.number}, {.looks_at = api::looks_at(call), .by_expression = true});
    CO_TRY(auto plan, co_await within(deps_.clock, plan_timeout, std::move(planning)));
    if (plan.parts.empty())
        co_return fail(
            errc::invalid,
            fmt::format(
                "{} has no configuration files, and there is nothing else to apply", system.name));
    auto work = add(call, std::move(plan.parts.front().files), "Apply highstate on " + system.name);
    CO_TRY(const auto number, co_await std::move(work));
    co_return answer{number};
}

}  // namespace muster::xmlrpc_api
