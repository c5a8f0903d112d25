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

operation acting(std::string name, std::string summary, std::vector<parameter> takes) {
    auto result = changing(
        std::move(name), std::move(summary), std::move(takes), right::jobs_run, integer(1));
    result.within = scope::filtered;
    return result;
}

std::optional<wall_time> moment_in(const call& call, std::string_view name) {
    const auto* input = call.arguments().find(name);
    const auto* when = input == nullptr ? nullptr : input->get<wall_time>();
    return when == nullptr ? std::nullopt : std::optional(*when);
}

std::vector<system_number> numbers_of(const std::vector<system_record>& systems) {
    std::vector<system_number> system_numbers;
    for (const auto& system : systems) system_numbers.push_back(system.number);
    return system_numbers;
}

}  // namespace

result<void> config_deploy_methods::declare(method_registry& to) {
    using self = config_deploy_methods;
    const auto faults = config_faults();
    CHECK_OK(to.add(
        {acting(
             "system.config.deployAll",
             "Writes all their files to systems",
             {some_systems(), argument("date", api::time())}),
         done_by(this, &self::deploy_all),
         faults}));
    CHECK_OK(to.add(
        {acting(
             "system.config.scheduleApplyConfigChannel",
             "Writes all their files to systems, or says what would be written",
             {some_systems(),
              argument("earliestOccurrence", api::time()),
              argument("test", flag_or_number())}),
         done_by(this, &self::apply),
         faults}));
    auto channel = acting(
        "configchannel.deployAllSystems",
        "Writes a channel's files to all systems that have it",
        {argument("label", name())});
    CHECK_OK(to.add({channel, done_by(this, &self::deploy_channel), faults}));
    auto later = channel;
    later.takes.push_back(argument("date", api::time()));
    CHECK_OK(to.add({std::move(later), done_by(this, &self::deploy_channel), faults}));
    channel.takes.push_back(argument("filePath", text()));
    CHECK_OK(to.add({channel, done_by(this, &self::deploy_channel), faults}));
    channel.takes.push_back(argument("date", api::time()));
    CHECK_OK(to.add({std::move(channel), done_by(this, &self::deploy_channel), faults}));
    return to.add(
        {acting(
             "configchannel.scheduleFileComparisons",
             "Says how a file of a channel differs from what systems have",
             {argument("label", name()), argument("path", text()), some_systems()}),
         done_by(this, &self::compare),
         faults});
}

async<std::vector<std::int64_t>> config_deploy_methods::make(call call, order order) const {
    order.of.looks_at = api::looks_at(call);
    auto planning = deps_.deployed.plan(std::move(order.systems), order.of);
    CO_TRY(auto match, co_await within(deps_.clock, plan_timeout, std::move(planning)));
    std::vector<action_request> wishes;
    for (auto& part : match.parts) {
        auto filling = deps_.deployed.arguments_of(std::move(part.files), order.how);
        CO_TRY(const auto all, co_await within(deps_.clock, plan_timeout, std::move(filling)));
        for (const auto& each : all) {
            action_request wish{
                .function = "files.deploy",
                .arguments = boost::json::parse(each).as_object(),
                .systems = {},
                .name = order.name,
                .earliest = order.earliest};
            part.systems.for_each([&](system_number system_number) {
                wish.systems.push_back(system_number.value());
            });
            wishes.push_back(std::move(wish));
        }
        if (wishes.size() > jobs_max)
            co_return fail(
                errc::invalid,
                "the systems have too many different files for one call; deploy to fewer");
    }
    if (wishes.empty() && !match.left_out.empty())
        co_return fail(
            errc::conflict,
            "these systems have the files by a group's expression only; name the systems "
            "(system.config.deployAll), or give them the channel or the group's label");
    if (wishes.empty())
        co_return fail(errc::conflict, "these systems have no configuration files to be written");
    std::vector<std::int64_t> result;
    for (auto& each : wishes) {
        CO_TRY(const auto number, co_await deps_.actions.make(call, std::move(each)));
        call.set_partly_done();
        result.push_back(number);
    }
    co_return result;
}

async<answer> config_deploy_methods::deploy_all(call call) {
    CO_TRY(const auto all, deps_.view.find_all(call));
    CO_CHECK_OK(co_await make(
        call,
        {.systems = numbers_of(all),
         .of = {.by_expression = true},
         .earliest = moment_in(call, "date"),
         .name = "Deploy configuration files"}));
    co_return answer{1};
}

async<answer> config_deploy_methods::apply(call call) {
    CO_TRY(const auto all, deps_.view.find_all(call));
    const bool test = flag_in(call, "test");
    CO_TRY(
        const auto result,
        co_await make(
            call,
            {.systems = numbers_of(all),
             .of = {.by_expression = true},
             .how = test ? deployment::mode::compare : deployment::mode::write,
             .earliest = moment_in(call, "earliestOccurrence"),
             .name = test ? "Compare configuration files" : "Apply configuration channels"}));
    co_return answer{result.front()};
}

async<answer> config_deploy_methods::deploy_channel(call call) {
    CO_TRY(const auto of, deps_.configuration.channels.find(call.text("label")));
    auto members = deps_.configuration.profiles.with_channel(of.label);
    for (const auto& each : deps_.configuration.channels.groups_with(of.label)) {
        CO_TRY(const auto some, deps_.view.in_group(call, each));
        members |= some;
    }
    CO_TRY(const auto observed, deps_.view.meant(call));
    members &= observed;
    if (members.size() > static_cast<std::size_t>(systems_of_call_max))
        co_return fail(
            errc::invalid, "more than 10000 systems have this channel; deploy to some at a time");
    order order{
        .systems = members.page(system_number(0), static_cast<std::size_t>(systems_of_call_max)),
        .of = {.channel = of.label},
        .earliest = moment_in(call, "date"),
        .name = "Deploy configuration channel " + of.label};
    const auto* path = call.arguments().find("filePath");
    if (path != nullptr) order.of.paths = {*path->get<std::string>()};
    CO_CHECK_OK(co_await make(call, std::move(order)));
    co_return answer{1};
}

async<answer> config_deploy_methods::compare(call call) {
    CO_TRY(const auto of, deps_.configuration.channels.find(call.text("label")));
    CO_TRY(const auto match, deps_.view.find_all(call));
    // Whoever is asked is compared, also a system that does not have the channel; but what is in a
    // channel is shown to those with the right in some zones only if their systems have it.
    if (call.zones()) {
        auto planning = deps_.deployed.plan(
            numbers_of(match),
            {.channel = of.label,
             .paths = {call.text("path")},
             .looks_at = api::looks_at(call),
             .by_expression = true});
        CO_TRY(const auto plan, co_await within(deps_.clock, plan_timeout, std::move(planning)));
        fleet::system_set have;
        for (const auto& part : plan.parts) have |= part.systems;
        for (const auto& each : match) {
            if (!have.contains(each.number))
                co_return fail(
                    errc::denied,
                    fmt::format(
                        "system {} does not have this file of the configuration channel {}; "
                        "comparing it needs the right jobs.run in the whole cluster",
                        each.number.value(),
                        of.label));
        }
    }
    auto reading = deps_.configuration.files.read(
        configuration::held_by_channel(of.number), call.text("path"));
    CO_TRY(auto file, co_await within(deps_.clock, plan_timeout, std::move(reading)));
    std::vector<configuration::config_file> config_files;
    config_files.push_back(std::move(file));
    auto filling = deps_.deployed.arguments_of(std::move(config_files), deployment::mode::compare);
    CO_TRY(const auto all, co_await within(deps_.clock, plan_timeout, std::move(filling)));
    action_request wish{
        .function = "files.deploy",
        .arguments = boost::json::parse(all.front()).as_object(),
        .systems = integers_of(call, "sids"),
        .name = "Compare " + call.text("path")};
    CO_TRY(const auto number, co_await deps_.actions.make(call, std::move(wish)));
    co_return answer{number};
}

}  // namespace muster::xmlrpc_api
