#include "api/xmlrpc/methods/config_deploy_methods.h"

#include "ports/deadline.h"
#include "api/operations/group_guard.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;
using configuration::deployment;

constexpr auto plan_patience = std::chrono::seconds(25);
constexpr std::size_t jobs_max = 100;  // of one call

operation acting(std::string name, std::string summary, std::vector<parameter> takes) {
    auto made = changing(
        std::move(name), std::move(summary), std::move(takes), right::jobs_run, integer(1));
    made.within = scope::filtered;
    return made;
}

std::optional<wall_time> moment_in(const call& asked, std::string_view name) {
    const auto* given = asked.arguments().find(name);
    const auto* when = given == nullptr ? nullptr : given->get<wall_time>();
    return when == nullptr ? std::nullopt : std::optional(*when);
}

std::vector<system_number> numbers_of(const std::vector<system_record>& systems) {
    std::vector<system_number> made;
    for (const auto& each : systems) made.push_back(each.number);
    return made;
}

}  // namespace

result<void> config_deploy_methods::declare(method_book& to) {
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

async<std::vector<std::int64_t>> config_deploy_methods::make(call asked, order wanted) const {
    wanted.of.looks_at = api::looks_at(asked);
    auto planning = around_.deployed.plan(std::move(wanted.systems), wanted.of);
    CO_TRY(auto found, co_await within(around_.time, plan_patience, std::move(planning)));
    std::vector<action_wish> wishes;
    for (auto& part : found.parts) {
        auto filling = around_.deployed.arguments_of(std::move(part.files), wanted.how);
        CO_TRY(const auto all, co_await within(around_.time, plan_patience, std::move(filling)));
        for (const auto& each : all) {
            action_wish wish{
                .function = "files.deploy",
                .arguments = boost::json::parse(each).as_object(),
                .systems = {},
                .name = wanted.name,
                .earliest = wanted.earliest};
            part.systems.for_each([&](system_number one) { wish.systems.push_back(one.value()); });
            wishes.push_back(std::move(wish));
        }
        if (wishes.size() > jobs_max)
            co_return fail(
                errc::invalid,
                "the systems have too many different files for one call; deploy to fewer");
    }
    if (wishes.empty() && !found.left_out.empty())
        co_return fail(
            errc::conflict,
            "these systems have the files by a group's expression only; name the systems "
            "(system.config.deployAll), or give them the channel or the group's label");
    if (wishes.empty())
        co_return fail(errc::conflict, "these systems have no configuration files to be written");
    std::vector<std::int64_t> made;
    for (auto& each : wishes) {
        CO_TRY(const auto number, co_await around_.actions.make(asked, std::move(each)));
        asked.set_partly_done();
        made.push_back(number);
    }
    co_return made;
}

async<answer> config_deploy_methods::deploy_all(call asked) {
    CO_TRY(const auto found, around_.view.find_all(asked));
    CO_CHECK_OK(co_await make(
        asked,
        {.systems = numbers_of(found),
         .of = {.by_expression = true},
         .earliest = moment_in(asked, "date"),
         .name = "Deploy configuration files"}));
    co_return answer{1};
}

async<answer> config_deploy_methods::apply(call asked) {
    CO_TRY(const auto found, around_.view.find_all(asked));
    const bool test = flag_in(asked, "test");
    CO_TRY(
        const auto made,
        co_await make(
            asked,
            {.systems = numbers_of(found),
             .of = {.by_expression = true},
             .how = test ? deployment::mode::compare : deployment::mode::write,
             .earliest = moment_in(asked, "earliestOccurrence"),
             .name = test ? "Compare configuration files" : "Apply configuration channels"}));
    co_return answer{made.front()};
}

async<answer> config_deploy_methods::deploy_channel(call asked) {
    CO_TRY(const auto of, around_.kept.channels.find(asked.text("label")));
    auto members = around_.kept.profiles.with_channel(of.label);
    for (const auto& each : around_.kept.channels.groups_with(of.label)) {
        CO_TRY(const auto some, around_.view.in_group(asked, each));
        members |= some;
    }
    CO_TRY(const auto seen, around_.view.meant(asked));
    members &= seen;
    if (members.size() > static_cast<std::size_t>(systems_of_call_max))
        co_return fail(
            errc::invalid, "more than 10000 systems have this channel; deploy to some at a time");
    order wanted{
        .systems = members.page(system_number(0), static_cast<std::size_t>(systems_of_call_max)),
        .of = {.channel = of.label},
        .earliest = moment_in(asked, "date"),
        .name = "Deploy configuration channel " + of.label};
    const auto* path = asked.arguments().find("filePath");
    if (path != nullptr) wanted.of.paths = {*path->get<std::string>()};
    CO_CHECK_OK(co_await make(asked, std::move(wanted)));
    co_return answer{1};
}

async<answer> config_deploy_methods::compare(call asked) {
    CO_TRY(const auto of, around_.kept.channels.find(asked.text("label")));
    CO_TRY(const auto found, around_.view.find_all(asked));
    // Whoever is asked is compared, also a system that does not have the channel; but what is in a
    // channel is shown to those with the right in some zones only if their systems have it.
    if (asked.zones()) {
        auto planning = around_.deployed.plan(
            numbers_of(found),
            {.channel = of.label,
             .paths = {asked.text("path")},
             .looks_at = api::looks_at(asked),
             .by_expression = true});
        CO_TRY(const auto plan, co_await within(around_.time, plan_patience, std::move(planning)));
        fleet::system_set have;
        for (const auto& each : plan.parts) have |= each.systems;
        for (const auto& each : found) {
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
    auto reading = around_.kept.files.read(configuration::held_by_channel(of.number), asked.text("path"));
    CO_TRY(auto file, co_await within(around_.time, plan_patience, std::move(reading)));
    std::vector<configuration::config_file> one;
    one.push_back(std::move(file));
    auto filling = around_.deployed.arguments_of(std::move(one), deployment::mode::compare);
    CO_TRY(const auto all, co_await within(around_.time, plan_patience, std::move(filling)));
    action_wish wish{
        .function = "files.deploy",
        .arguments = boost::json::parse(all.front()).as_object(),
        .systems = integers_of(asked, "sids"),
        .name = "Compare " + asked.text("path")};
    CO_TRY(const auto number, co_await around_.actions.make(asked, std::move(wish)));
    co_return answer{number};
}

}  // namespace muster::xmlrpc_api
