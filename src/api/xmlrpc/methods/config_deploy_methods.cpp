#include "api/xmlrpc/methods/config_deploy_methods.h"

#include "api/operations/group_label_policy.h"
#include "ports/deadline.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;
using configuration::deployment;

constexpr auto plan_timeout = std::chrono::seconds(25);
constexpr std::size_t jobs_max = 100;  // of one call

operation action_method(std::string name, std::string summary, std::vector<parameter> parameters) {
    auto result = change_method(
        std::move(name), std::move(summary), std::move(parameters), right::jobs_run, integer(1));
    result.within = scope::filtered;
    return result;
}

std::optional<wall_time> read_time(const call& call, std::string_view name) {
    const auto* argument = call.arguments().find(name);
    const auto* time = argument == nullptr ? nullptr : argument->get<wall_time>();
    return time == nullptr ? std::nullopt : std::optional(*time);
}

std::vector<system_number> numbers_of(const std::vector<system_record>& systems) {
    std::vector<system_number> numbers;
    for (const auto& system : systems) numbers.push_back(system.number);
    return numbers;
}

}  // namespace

result<void> config_deploy_methods::declare(method_registry& registry) {
    using self = config_deploy_methods;
    const auto faults = config_faults();
    CHECK_OK(registry.add(
        {action_method(
             "system.config.deployAll",
             "Deploy all configuration files to systems",
             {systems_parameter(), argument("date", api::time())}),
         handler(this, &self::deploy_all),
         faults}));
    CHECK_OK(registry.add(
        {action_method(
             "system.config.scheduleApplyConfigChannel",
             "Deploy or test all configuration files on systems",
             {systems_parameter(),
              argument("earliestOccurrence", api::time()),
              argument("test", flag_or_number())}),
         handler(this, &self::apply),
         faults}));
    auto channel = action_method(
        "configchannel.deployAllSystems",
        "Deploy the files of a channel to all subscribed systems",
        {argument("label", name())});
    CHECK_OK(registry.add({channel, handler(this, &self::deploy_channel), faults}));
    auto with_date = channel;
    with_date.takes.push_back(argument("date", api::time()));
    CHECK_OK(registry.add({std::move(with_date), handler(this, &self::deploy_channel), faults}));
    channel.takes.push_back(argument("filePath", text()));
    CHECK_OK(registry.add({channel, handler(this, &self::deploy_channel), faults}));
    channel.takes.push_back(argument("date", api::time()));
    CHECK_OK(registry.add({std::move(channel), handler(this, &self::deploy_channel), faults}));
    return registry.add(
        {action_method(
             "configchannel.scheduleFileComparisons",
             "Compare a file of a channel with the files on systems",
             {argument("label", name()), argument("path", text()), systems_parameter()}),
         handler(this, &self::compare),
         faults});
}

async<std::vector<std::int64_t>> config_deploy_methods::create_actions(
    call call, deploy_request request) const {
    request.selection.looks_at = api::read_extent(call);
    auto planned = deps_.deployment.plan(std::move(request.systems), request.selection);
    CO_TRY(auto plan, co_await within(deps_.clock, plan_timeout, std::move(planned)));
    std::vector<action_request> requests;
    for (auto& part : plan.parts) {
        auto build = deps_.deployment.arguments_of(std::move(part.files), request.mode);
        CO_TRY(const auto arguments, co_await within(deps_.clock, plan_timeout, std::move(build)));
        for (const auto& text : arguments) {
            action_request action{
                .function = "files.deploy",
                .arguments = boost::json::parse(text).as_object(),
                .systems = {},
                .name = request.name,
                .earliest = request.earliest};
            part.systems.for_each(
                [&](system_number number) { action.systems.push_back(number.value()); });
            requests.push_back(std::move(action));
        }
        if (requests.size() > jobs_max)
            co_return fail(
                errc::invalid, "too many different files for one call; deploy to fewer systems");
    }
    if (requests.empty() && !plan.left_out.empty())
        co_return fail(
            errc::conflict,
            "the systems have the files only through the expression of a group; use "
            "system.config.deployAll with the systems, or assign the channel or the group's label "
            "to the systems");
    if (requests.empty())
        co_return fail(errc::conflict, "the systems have no configuration files to deploy");
    std::vector<std::int64_t> result;
    for (auto& action : requests) {
        CO_TRY(const auto number, co_await deps_.actions.create(call, std::move(action)));
        call.set_partly_done();
        result.push_back(number);
    }
    co_return result;
}

async<method_response> config_deploy_methods::deploy_all(call call) {
    CO_TRY(const auto systems, deps_.fleet.find_all(call));
    CO_CHECK_OK(co_await create_actions(
        call,
        {.systems = numbers_of(systems),
         .selection = {.by_expression = true},
         .earliest = read_time(call, "date"),
         .name = "Deploy configuration files"}));
    co_return method_response{1};
}

async<method_response> config_deploy_methods::apply(call call) {
    CO_TRY(const auto systems, deps_.fleet.find_all(call));
    const bool dry_run = read_flag(call, "test");
    CO_TRY(
        const auto result,
        co_await create_actions(
            call,
            {.systems = numbers_of(systems),
             .selection = {.by_expression = true},
             .mode = dry_run ? deployment::mode::compare : deployment::mode::write,
             .earliest = read_time(call, "earliestOccurrence"),
             .name = dry_run ? "Compare configuration files" : "Apply configuration channels"}));
    co_return method_response{result.front()};
}

async<method_response> config_deploy_methods::deploy_channel(call call) {
    CO_TRY(const auto channel, deps_.configuration.channels.find(call.text("label")));
    auto members = deps_.configuration.profiles.with_channel(channel.label);
    for (const auto& group : deps_.configuration.channels.groups_with(channel.label)) {
        CO_TRY(const auto group_members, deps_.fleet.find_group_members(call, group));
        members |= group_members;
    }
    CO_TRY(const auto visible, deps_.fleet.find_systems(call));
    members &= visible;
    if (members.size() > static_cast<std::size_t>(systems_of_call_max))
        co_return fail(
            errc::invalid,
            "channel has more than 10000 systems; deploy to fewer systems at a time");
    deploy_request request{
        .systems = members.page(system_number(0), static_cast<std::size_t>(systems_of_call_max)),
        .selection = {.channel = channel.label},
        .earliest = read_time(call, "date"),
        .name = "Deploy configuration channel " + channel.label};
    const auto* path = call.arguments().find("filePath");
    if (path != nullptr) request.selection.paths = {*path->get<std::string>()};
    CO_CHECK_OK(co_await create_actions(call, std::move(request)));
    co_return method_response{1};
}

async<method_response> config_deploy_methods::compare(call call) {
    CO_TRY(const auto channel, deps_.configuration.channels.find(call.text("label")));
    CO_TRY(const auto systems, deps_.fleet.find_all(call));
    // Any system can be compared, also without the channel. But callers with rights in some zones
    // see the contents of a channel only if their systems have it.
    if (call.zones()) {
        auto planned = deps_.deployment.plan(
            numbers_of(systems),
            {.channel = channel.label,
             .paths = {call.text("path")},
             .looks_at = api::read_extent(call),
             .by_expression = true});
        CO_TRY(const auto plan, co_await within(deps_.clock, plan_timeout, std::move(planned)));
        fleet::system_set having_file;
        for (const auto& part : plan.parts) having_file |= part.systems;
        for (const auto& system : systems) {
            if (!having_file.contains(system.number))
                co_return fail(
                    errc::denied,
                    fmt::format(
                        "this file of configuration channel \"{1}\" is not assigned to system {0}; "
                        "comparing it requires the right jobs.run in the whole cluster",
                        system.number.value(),
                        channel.label));
        }
    }
    auto lookup = deps_.configuration.files.read(
        configuration::held_by_channel(channel.number), call.text("path"));
    CO_TRY(auto file, co_await within(deps_.clock, plan_timeout, std::move(lookup)));
    std::vector<configuration::config_file> files;
    files.push_back(std::move(file));
    auto build = deps_.deployment.arguments_of(std::move(files), deployment::mode::compare);
    CO_TRY(const auto arguments, co_await within(deps_.clock, plan_timeout, std::move(build)));
    action_request action{
        .function = "files.deploy",
        .arguments = boost::json::parse(arguments.front()).as_object(),
        .systems = read_integers(call, "sids"),
        .name = "Compare " + call.text("path")};
    CO_TRY(const auto number, co_await deps_.actions.create(call, std::move(action)));
    co_return method_response{number};
}

}  // namespace muster::xmlrpc_api
