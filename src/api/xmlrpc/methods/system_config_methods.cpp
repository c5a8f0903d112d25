#include "api/xmlrpc/methods/system_config_methods.h"

#include "api/operations/group_label_policy.h"
#include "ports/deadline.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;
using api::engine_timeout;

constexpr auto change_timeout = std::chrono::seconds(25);
constexpr std::int64_t paths_max = 1'000;
constexpr std::int64_t group_unknown = 2201;

// Whether the system's own files are meant, not those that it tries.
std::string holder_in(const call& call, std::string_view flag) {
    const auto number = call.integer("sid");
    return flag_in(call, flag) ? configuration::held_by_system(number)
                               : configuration::sandbox_of_system(number);
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

result<void> system_config_methods::declare_channels(method_registry& to) {
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

result<void> system_config_methods::declare_files(method_registry& to) {
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

result<void> system_config_methods::declare_groups(method_registry& to) {
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

result<void> system_config_methods::declare(method_registry& to) {
    CHECK_OK(declare_channels(to));
    CHECK_OK(declare_files(to));
    return declare_groups(to);
}

async<answer> system_config_methods::list_channels(call call) {
    CO_TRY(const auto match, deps_.view.find(call, call.integer("sid")));
    auto work = deps_.deployed.channels_of(match.number);
    CO_TRY(const auto has, co_await within(deps_.clock, engine_timeout, std::move(work)));
    CO_TRY(const auto channels, deps_.configuration.channels.find_all(has));
    co_return answer{told(channels)};
}

async<answer> system_config_methods::change_systems(call call, config_list_change change) {
    CO_TRY(const auto all, deps_.view.find_all(call));
    const auto desired = labels_in(call, "configChannelLabels");
    CO_CHECK_OK(deps_.configuration.channels.find_all(desired));
    std::vector<system_number> system_numbers;
    for (const auto& each : all) system_numbers.push_back(each.number);
    call.set_subject(fmt::format("{} systems: {}", system_numbers.size(), fmt::join(desired, " ")));
    auto work = deps_.configuration.profiles.change(
        std::move(system_numbers),
        [desired, change, anywhere = !call.zones()](
            fleet::system_profile& system_profile) -> result<void> {
            auto next = changed_list(change, system_profile.config_channels, desired);
            if (!anywhere) {
                CHECK_OK(check_no_new(system_profile.config_channels, next));
            }
            system_profile.config_channels = std::move(next);
            return {};
        },
        call.who().user);
    CO_CHECK_OK(co_await within(deps_.clock, change_timeout, std::move(work)));
    co_return answer{1};
}

async<answer> system_config_methods::add_channels(call call) {
    using enum config_list_change;
    const auto change = flag_in(call, "addToTop") ? add_first : add_last;
    co_return co_await change_systems(std::move(call), change);
}

async<answer> system_config_methods::set_channels(call call) {
    co_return co_await change_systems(std::move(call), config_list_change::replace);
}

async<answer> system_config_methods::remove_channels(call call) {
    co_return co_await change_systems(std::move(call), config_list_change::remove);
}

async<std::vector<system_config_methods::found_file>> system_config_methods::all_files(
    system_number of, configuration::deployment::choice choice) const {
    std::vector<system_number> system_numbers{of};
    choice.by_expression = true;  // of this one system all is wanted
    CO_TRY(
        const auto plan,
        co_await deps_.deployed.plan(std::move(system_numbers), std::move(choice)));
    std::vector<found_file> found_files;
    if (plan.parts.empty()) co_return found_files;
    std::map<std::string, std::string> labels;  // by holder
    for (const auto& each : deps_.configuration.channels.all())
        labels[configuration::held_by_channel(each.number)] = each.label;
    for (const auto& file : plan.parts.front().files)
        found_files.push_back({.file = file, .channel = labels[file.holder]});
    co_return found_files;
}

async<answer> system_config_methods::list_files(call call) {
    CO_TRY(const auto match, deps_.view.find(call, call.integer("sid")));
    const bool local = flag_in(call, "listLocal");
    std::vector<found_file> files;
    if (local) {
        auto work = all_files(match.number, {});
        CO_TRY(files, co_await within(deps_.clock, engine_timeout, std::move(work)));
    } else {
        auto work = deps_.configuration.files.list(holder_in(call, "listLocal"));
        CO_TRY(auto tried, co_await within(deps_.clock, engine_timeout, std::move(work)));
        for (auto& each : tried) files.push_back({.file = std::move(each), .channel = {}});
    }
    value::list list;
    for (const auto& file : files) {
        auto one = told_file(file.file);
        const auto own = local ? channel_sort::local : channel_sort::sandbox;
        auto& members = *one.get<value::record>();
        if (!file.channel.empty()) members.push_back({"channel_label", file.channel});
        members.push_back(
            {"channel_type", told(file.channel.empty() ? own : channel_sort::normal)});
        list.push_back(std::move(one));
    }
    co_return answer{std::move(list)};
}

async<value> system_config_methods::told_newest(
    configuration::config_file of, std::string channel) const {
    file_revision_response file_revision_response{
        .path = of.path, .channel = std::move(channel), .of = of.newest(), .content = {}};
    if (!file_revision_response.of.digest.empty()) {
        auto work = deps_.configuration.files.content(file_revision_response.of.digest);
        CO_TRY(
            file_revision_response.content,
            co_await within(deps_.clock, engine_timeout, std::move(work)));
    }
    co_return told(file_revision_response);
}

async<answer> system_config_methods::put(call call, path_sort path_sort) {
    CO_TRY(const auto match, deps_.view.find(call, call.integer("sid")));
    const auto path = call.text("path");
    call.set_subject(match.name + " " + path);
    CO_CHECK_OK(configuration::check_path(path));
    const auto holder = holder_in(call, "commitToLocal");
    auto looking = deps_.configuration.files.read(holder, path);
    const auto before = co_await within(deps_.clock, engine_timeout, std::move(looking));
    if (!before && before.error().code() != errc::not_found) co_return fail(before.error());
    CO_TRY(auto desired, revision_in(call, "data", path_sort, before ? &*before : nullptr));
    auto work = deps_.configuration.files.put(holder, path, std::move(desired));
    CO_TRY(auto result, co_await within(deps_.clock, engine_timeout, std::move(work)));
    CO_TRY(auto output, co_await told_newest(std::move(result), {}));
    co_return answer{std::move(output)};
}

async<answer> system_config_methods::put_path(call call) {
    const auto what = flag_in(call, "isDir") ? path_sort::directory : path_sort::file;
    co_return co_await put(std::move(call), what);
}

async<answer> system_config_methods::put_link(call call) {
    co_return co_await put(std::move(call), path_sort::symlink);
}

async<answer> system_config_methods::look_up(call call) {
    CO_TRY(const auto match, deps_.view.find(call, call.integer("sid")));
    const auto paths = labels_in(call, "paths");
    const std::set<std::string> desired(paths.begin(), paths.end());
    std::vector<found_file> files;
    if (flag_in(call, "searchLocal")) {
        // Which files there are is no secret; what they hold may be.
        auto work = all_files(match.number, {.paths = desired, .looks_at = api::looks_at(call)});
        CO_TRY(files, co_await within(deps_.clock, engine_timeout, std::move(work)));
    } else {
        auto work = deps_.configuration.files.list(holder_in(call, "searchLocal"));
        CO_TRY(auto tried, co_await within(deps_.clock, engine_timeout, std::move(work)));
        for (auto& each : tried) files.push_back({.file = std::move(each), .channel = {}});
    }
    value::list list;
    for (auto& file : files) {
        if (!desired.contains(file.file.path)) continue;
        CO_TRY(auto output, co_await told_newest(std::move(file.file), std::move(file.channel)));
        list.push_back(std::move(output));
    }
    co_return answer{std::move(list)};
}

async<answer> system_config_methods::remove_files(call call) {
    CO_TRY(const auto match, deps_.view.find(call, call.integer("sid")));
    auto paths = labels_in(call, "paths");
    call.set_subject(fmt::format("{}: {}", match.name, fmt::join(paths, " ")));
    auto work =
        deps_.configuration.files.remove(holder_in(call, "deleteFromLocal"), std::move(paths));
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return answer{1};
}

result<std::string> system_config_methods::group_in(const call& call) const {
    const auto& group = call.text("systemGroupName");
    if (!deps_.view.around().groups.current()->contains(group))
        return fail(errc::not_found, fmt::format("There is no system group {}", group));
    return group;
}

async<answer> system_config_methods::list_of_group(call call) {
    CO_TRY(const auto group, group_in(call));
    CO_TRY(
        const auto channels,
        deps_.configuration.channels.find_all(deps_.configuration.channels.of_group(group)));
    co_return answer{told(channels)};
}

async<answer> system_config_methods::change_group(call call, config_list_change change) {
    CO_TRY(const auto group, group_in(call));
    const auto desired = labels_in(call, "configChannelLabels");
    CO_CHECK_OK(deps_.configuration.channels.find_all(desired));
    call.set_subject(fmt::format("{}: {}", group, fmt::join(desired, " ")));
    auto work = deps_.configuration.channels.change_group(
        group,
        [change, desired](std::vector<std::string> now) {
            return changed_list(change, std::move(now), desired);
        },
        call.who().user);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return answer{1};
}

async<answer> system_config_methods::add_to_group(call call) {
    co_return co_await change_group(std::move(call), config_list_change::add_last);
}

async<answer> system_config_methods::remove_from_group(call call) {
    co_return co_await change_group(std::move(call), config_list_change::remove);
}

}  // namespace muster::xmlrpc_api
