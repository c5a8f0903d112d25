#include "api/xmlrpc/methods/system_config_methods.h"

#include "ports/deadline.h"
#include "api/operations/group_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;
using api::engine_patience;

constexpr auto change_patience = std::chrono::seconds(25);
constexpr std::int64_t paths_max = 1'000;
constexpr std::int64_t group_unknown = 2201;

// Whether the system's own files are meant, not those that it tries.
std::string holder_in(const call& asked, std::string_view flag) {
    const auto number = asked.integer("sid");
    return flag_in(asked, flag) ? configuration::held_by_system(number)
                                : configuration::sandbox_of_system(number);
}

std::vector<std::string> added_at_top(std::vector<std::string> now, std::vector<std::string> some) {
    return configuration::with_channels(std::move(now), some, configuration::where::front);
}
std::vector<std::string> added_at_end(std::vector<std::string> now, std::vector<std::string> some) {
    return configuration::with_channels(std::move(now), some, configuration::where::back);
}
std::vector<std::string> taken_away(std::vector<std::string> now, std::vector<std::string> some) {
    return configuration::without_channels(std::move(now), some);
}
std::vector<std::string> replaced(std::vector<std::string> /*now*/, std::vector<std::string> some) {
    return configuration::with_channels({}, some, configuration::where::back);
}

// A system shows what its channels hold, and channels are of the whole cluster: whoever has the
// right in some zones only gives a system none that it does not have.
result<void> check_no_new(
    const std::vector<std::string>& before, const std::vector<std::string>& after) {
    for (const auto& each : after) {
        if (std::ranges::find(before, each) == before.end())
            return fail(
                errc::denied,
                "giving a system the configuration channel " + each
                    + " needs the right systems.change in the whole cluster");
    }
    return {};
}

}  // namespace

result<void> system_config_methods::declare_channels(method_book& to) {
    using self = system_config_methods;
    const auto faults = config_faults();
    CHECK_OK(to.add(
        {asking(
             "system.config.listChannels",
             "A system's channels, its groups' among them, strongest first",
             {one_system()},
             list_of(channel_shape())),
         done_by(this, &self::list_channels)}));
    CHECK_OK(to.add(
        {changing_systems(
             "system.config.addChannels",
             "Gives systems channels, before or behind those they have",
             {some_systems(),
              labels("configChannelLabels"),
              argument("addToTop", flag_or_number())}),
         done_by(this, &self::add_channels),
         faults}));
    CHECK_OK(to.add(
        {changing_systems(
             "system.config.setChannels",
             "Gives systems these channels instead of those they have",
             {some_systems(), labels("configChannelLabels")}),
         done_by(this, &self::set_channels),
         faults}));
    return to.add(
        {changing_systems(
             "system.config.removeChannels",
             "Takes channels away from systems",
             {some_systems(), labels("configChannelLabels")}),
         done_by(this, &self::remove_channels),
         faults});
}

result<void> system_config_methods::declare_files(method_book& to) {
    using self = system_config_methods;
    const auto faults = config_faults();
    CHECK_OK(to.add(
        {asking(
             "system.config.listFiles",
             "The files for a system, or those that it tries",
             {one_system(), argument("listLocal", flag_or_number())},
             list_of(file_shape())),
         done_by(this, &self::list_files)}));
    CHECK_OK(to.add(
        {changing_systems(
             "system.config.createOrUpdatePath",
             "Gives a system's own file a new revision",
             {one_system(),
              argument("path", text()),
              argument("isDir", flag_or_number()),
              argument("data", some_struct()),
              argument("commitToLocal", flag_or_number())},
             revision_shape()),
         done_by(this, &self::put_path),
         faults}));
    CHECK_OK(to.add(
        {changing_systems(
             "system.config.createOrUpdateSymlink",
             "Gives a system's own link a new revision",
             {one_system(),
              argument("path", text()),
              argument("data", some_struct()),
              argument("commitToLocal", flag_or_number())},
             revision_shape()),
         done_by(this, &self::put_link),
         faults}));
    CHECK_OK(to.add(
        {asking(
             "system.config.lookupFileInfo",
             "Files for a system with what they hold",
             {one_system(),
              argument("paths", list_of(text(), paths_max)),
              argument("searchLocal", flag_or_number())},
             list_of(revision_shape())),
         done_by(this, &self::look_up)}));
    return to.add(
        {changing_systems(
             "system.config.deleteFiles",
             "Removes a system's own files",
             {one_system(),
              argument("paths", list_of(text(), paths_max)),
              argument("deleteFromLocal", flag_or_number())}),
         done_by(this, &self::remove_files),
         faults});
}

result<void> system_config_methods::declare_groups(method_book& to) {
    using self = system_config_methods;
    const fault_codes faults{
        .not_found = group_unknown,
        .conflict = fault_of_config_file,
        .invalid = fault_of_config_file};
    const auto group = argument("systemGroupName", name());
    CHECK_OK(to.add(
        {asking(
             "systemgroup.listAssignedConfigChannels",
             "A group's channels, strongest first",
             {group},
             list_of(channel_shape())),
         done_by(this, &self::list_of_group),
         faults}));
    CHECK_OK(to.add(
        {changing(
             "systemgroup.subscribeConfigChannel",
             "Gives a group channels",
             {group, labels("configChannelLabels")},
             right::groups_change),
         done_by(this, &self::add_to_group),
         faults}));
    return to.add(
        {changing(
             "systemgroup.unsubscribeConfigChannel",
             "Takes channels away from a group",
             {group, labels("configChannelLabels")},
             right::groups_change),
         done_by(this, &self::remove_from_group),
         faults});
}

result<void> system_config_methods::declare(method_book& to) {
    CHECK_OK(declare_channels(to));
    CHECK_OK(declare_files(to));
    return declare_groups(to);
}

async<answer> system_config_methods::list_channels(call asked) {
    CO_TRY(const auto found, around_.view.find(asked, asked.integer("sid")));
    auto work = around_.deployed.channels_of(found.number);
    CO_TRY(const auto has, co_await within(around_.time, engine_patience, std::move(work)));
    CO_TRY(const auto channels, around_.kept.channels.find_all(has));
    co_return answer{told(channels)};
}

async<answer> system_config_methods::change_systems(call asked, list_change how) {
    CO_TRY(const auto found, around_.view.find_all(asked));
    const auto wanted = labels_in(asked, "configChannelLabels");
    CO_CHECK_OK(around_.kept.channels.find_all(wanted));
    std::vector<system_number> which;
    for (const auto& each : found) which.push_back(each.number);
    asked.set_subject(fmt::format("{} systems: {}", which.size(), fmt::join(wanted, " ")));
    auto work = around_.kept.profiles.change(
        std::move(which),
        [wanted, how = std::move(how), anywhere = !asked.zones()](
            fleet::system_profile& one) -> result<void> {
            auto next = how(one.config_channels, wanted);
            if (!anywhere) {
                CHECK_OK(check_no_new(one.config_channels, next));
            }
            one.config_channels = std::move(next);
            return {};
        },
        asked.who().user);
    CO_CHECK_OK(co_await within(around_.time, change_patience, std::move(work)));
    co_return answer{1};
}

async<answer> system_config_methods::add_channels(call asked) {
    const bool top = flag_in(asked, "addToTop");
    co_return co_await change_systems(std::move(asked), top ? added_at_top : added_at_end);
}

async<answer> system_config_methods::set_channels(call asked) {
    co_return co_await change_systems(std::move(asked), replaced);
}

async<answer> system_config_methods::remove_channels(call asked) {
    co_return co_await change_systems(std::move(asked), taken_away);
}

async<std::vector<system_config_methods::found_file>> system_config_methods::all_files(
    system_number of, configuration::deployment::choice which) const {
    std::vector<system_number> one{of};
    which.by_expression = true;  // of this one system all is wanted
    CO_TRY(const auto plan, co_await around_.deployed.plan(std::move(one), std::move(which)));
    std::vector<found_file> made;
    if (plan.parts.empty()) co_return made;
    std::map<std::string, std::string> labels;  // by holder
    for (const auto& each : around_.kept.channels.all())
        labels[configuration::held_by_channel(each.number)] = each.label;
    for (const auto& each : plan.parts.front().files)
        made.push_back({.file = each, .channel = labels[each.holder]});
    co_return made;
}

async<answer> system_config_methods::list_files(call asked) {
    CO_TRY(const auto found, around_.view.find(asked, asked.integer("sid")));
    const bool local = flag_in(asked, "listLocal");
    std::vector<found_file> files;
    if (local) {
        auto work = all_files(found.number, {});
        CO_TRY(files, co_await within(around_.time, engine_patience, std::move(work)));
    } else {
        auto work = around_.kept.files.list(holder_in(asked, "listLocal"));
        CO_TRY(auto tried, co_await within(around_.time, engine_patience, std::move(work)));
        for (auto& each : tried) files.push_back({.file = std::move(each), .channel = {}});
    }
    value::list made;
    for (const auto& each : files) {
        auto one = told_file(each.file);
        const auto own = local ? channel_sort::local : channel_sort::sandbox;
        auto& members = *one.get<value::record>();
        if (!each.channel.empty()) members.push_back({"channel_label", each.channel});
        members.push_back(
            {"channel_type", told(each.channel.empty() ? own : channel_sort::normal)});
        made.push_back(std::move(one));
    }
    co_return answer{std::move(made)};
}

async<value> system_config_methods::told_newest(configuration::config_file of, std::string channel) const {
    told_revision what{
        .path = of.path, .channel = std::move(channel), .of = of.newest(), .content = {}};
    if (!what.of.digest.empty()) {
        auto work = around_.kept.files.content(what.of.digest);
        CO_TRY(what.content, co_await within(around_.time, engine_patience, std::move(work)));
    }
    co_return told(what);
}

async<answer> system_config_methods::put(call asked, path_sort what) {
    CO_TRY(const auto found, around_.view.find(asked, asked.integer("sid")));
    const auto path = asked.text("path");
    asked.set_subject(found.name + " " + path);
    CO_CHECK_OK(configuration::check_path(path));
    const auto holder = holder_in(asked, "commitToLocal");
    auto looking = around_.kept.files.read(holder, path);
    const auto before = co_await within(around_.time, engine_patience, std::move(looking));
    if (!before && before.error().code() != errc::not_found) co_return fail(before.error());
    CO_TRY(auto wanted, revision_in(asked, "data", what, before ? &*before : nullptr));
    auto work = around_.kept.files.put(holder, path, std::move(wanted));
    CO_TRY(auto made, co_await within(around_.time, engine_patience, std::move(work)));
    CO_TRY(auto shown, co_await told_newest(std::move(made), {}));
    co_return answer{std::move(shown)};
}

async<answer> system_config_methods::put_path(call asked) {
    const auto what = flag_in(asked, "isDir") ? path_sort::directory : path_sort::file;
    co_return co_await put(std::move(asked), what);
}

async<answer> system_config_methods::put_link(call asked) {
    co_return co_await put(std::move(asked), path_sort::symlink);
}

async<answer> system_config_methods::look_up(call asked) {
    CO_TRY(const auto found, around_.view.find(asked, asked.integer("sid")));
    const auto paths = labels_in(asked, "paths");
    const std::set<std::string> wanted(paths.begin(), paths.end());
    std::vector<found_file> files;
    if (flag_in(asked, "searchLocal")) {
        // Which files there are is no secret; what they hold may be.
        auto work =
            all_files(found.number, {.paths = wanted, .looks_at = api::looks_at(asked)});
        CO_TRY(files, co_await within(around_.time, engine_patience, std::move(work)));
    } else {
        auto work = around_.kept.files.list(holder_in(asked, "searchLocal"));
        CO_TRY(auto tried, co_await within(around_.time, engine_patience, std::move(work)));
        for (auto& each : tried) files.push_back({.file = std::move(each), .channel = {}});
    }
    value::list made;
    for (auto& each : files) {
        if (!wanted.contains(each.file.path)) continue;
        CO_TRY(auto shown, co_await told_newest(std::move(each.file), std::move(each.channel)));
        made.push_back(std::move(shown));
    }
    co_return answer{std::move(made)};
}

async<answer> system_config_methods::remove_files(call asked) {
    CO_TRY(const auto found, around_.view.find(asked, asked.integer("sid")));
    auto paths = labels_in(asked, "paths");
    asked.set_subject(fmt::format("{}: {}", found.name, fmt::join(paths, " ")));
    auto work = around_.kept.files.remove(holder_in(asked, "deleteFromLocal"), std::move(paths));
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(work)));
    co_return answer{1};
}

result<std::string> system_config_methods::group_in(const call& asked) const {
    const auto& group = asked.text("systemGroupName");
    if (!around_.view.around().groups.current()->contains(group))
        return fail(errc::not_found, fmt::format("There is no system group {}", group));
    return group;
}

async<answer> system_config_methods::list_of_group(call asked) {
    CO_TRY(const auto group, group_in(asked));
    CO_TRY(
        const auto channels, around_.kept.channels.find_all(around_.kept.channels.of_group(group)));
    co_return answer{told(channels)};
}

async<answer> system_config_methods::change_group(call asked, list_change how) {
    CO_TRY(const auto group, group_in(asked));
    const auto wanted = labels_in(asked, "configChannelLabels");
    CO_CHECK_OK(around_.kept.channels.find_all(wanted));
    asked.set_subject(fmt::format("{}: {}", group, fmt::join(wanted, " ")));
    auto work = around_.kept.channels.change_group(
        group,
        [how = std::move(how), wanted](std::vector<std::string> now) {
            return how(std::move(now), wanted);
        },
        asked.who().user);
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(work)));
    co_return answer{1};
}

async<answer> system_config_methods::add_to_group(call asked) {
    co_return co_await change_group(std::move(asked), added_at_end);
}

async<answer> system_config_methods::remove_from_group(call asked) {
    co_return co_await change_group(std::move(asked), taken_away);
}

}  // namespace muster::xmlrpc_api
