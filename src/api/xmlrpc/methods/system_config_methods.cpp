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
constexpr std::int64_t unknown_group_fault = 2201;

// The holder of the system's own files if the flag is set, otherwise of its sandbox files.
std::string read_holder(const call& call, std::string_view flag) {
    const auto number = call.integer("sid");
    return read_flag(call, flag) ? configuration::held_by_system(number)
                                 : configuration::sandbox_of_system(number);
}

// Channels belong to the whole cluster. A caller with rights in some zones cannot give a system a
// channel that it does not have, because the system shows the channel's contents.
result<void> check_no_additions(
    const std::vector<std::string>& before, const std::vector<std::string>& after) {
    for (const auto& label : after) {
        if (std::ranges::find(before, label) == before.end())
            return fail(
                errc::denied,
                "assigning the configuration channel " + label
                    + " to a system requires the right systems.change in the whole cluster");
    }
    return {};
}

}  // namespace

result<void> system_config_methods::declare_channels(method_registry& registry) {
    using self = system_config_methods;
    const auto faults = config_faults();
    CHECK_OK(registry.add(
        {read_method(
             "system.config.listChannels",
             "List the configuration channels of a system, including those of its groups, highest "
             "rank first",
             {system_parameter()},
             list_of(channel_shape())),
         handler(this, &self::list_channels)}));
    CHECK_OK(registry.add(
        {systems_change_method(
             "system.config.addChannels",
             "Add configuration channels to systems",
             {systems_parameter(),
              labels_parameter("configChannelLabels"),
              argument("addToTop", flag_or_number())}),
         handler(this, &self::add_channels),
         faults}));
    CHECK_OK(registry.add(
        {systems_change_method(
             "system.config.setChannels",
             "Set the configuration channels of systems",
             {systems_parameter(), labels_parameter("configChannelLabels")}),
         handler(this, &self::set_channels),
         faults}));
    return registry.add(
        {systems_change_method(
             "system.config.removeChannels",
             "Remove configuration channels from systems",
             {systems_parameter(), labels_parameter("configChannelLabels")}),
         handler(this, &self::remove_channels),
         faults});
}

result<void> system_config_methods::declare_files(method_registry& registry) {
    using self = system_config_methods;
    const auto faults = config_faults();
    CHECK_OK(registry.add(
        {read_method(
             "system.config.listFiles",
             "List the configuration files of a system, or its sandbox files",
             {system_parameter(), argument("listLocal", flag_or_number())},
             list_of(file_shape())),
         handler(this, &self::list_files)}));
    CHECK_OK(registry.add(
        {systems_change_method(
             "system.config.createOrUpdatePath",
             "Create or update a local file of a system",
             {system_parameter(),
              argument("path", text()),
              argument("isDir", flag_or_number()),
              argument("data", struct_shape()),
              argument("commitToLocal", flag_or_number())},
             revision_shape()),
         handler(this, &self::put_path),
         faults}));
    CHECK_OK(registry.add(
        {systems_change_method(
             "system.config.createOrUpdateSymlink",
             "Create or update a local symbolic link of a system",
             {system_parameter(),
              argument("path", text()),
              argument("data", struct_shape()),
              argument("commitToLocal", flag_or_number())},
             revision_shape()),
         handler(this, &self::put_link),
         faults}));
    CHECK_OK(registry.add(
        {read_method(
             "system.config.lookupFileInfo",
             "Get configuration files of a system with their contents",
             {system_parameter(),
              argument("paths", list_of(text(), paths_max)),
              argument("searchLocal", flag_or_number())},
             list_of(revision_shape())),
         handler(this, &self::look_up)}));
    return registry.add(
        {systems_change_method(
             "system.config.deleteFiles",
             "Delete local files of a system",
             {system_parameter(),
              argument("paths", list_of(text(), paths_max)),
              argument("deleteFromLocal", flag_or_number())}),
         handler(this, &self::remove_files),
         faults});
}

result<void> system_config_methods::declare_groups(method_registry& registry) {
    using self = system_config_methods;
    const fault_codes faults{
        .not_found = unknown_group_fault,
        .conflict = fault_of_config_file,
        .invalid = fault_of_config_file};
    const auto group = argument("systemGroupName", name());
    CHECK_OK(registry.add(
        {read_method(
             "systemgroup.listAssignedConfigChannels",
             "List the configuration channels of a group, highest rank first",
             {group},
             list_of(channel_shape())),
         handler(this, &self::list_group_channels),
         faults}));
    CHECK_OK(registry.add(
        {change_method(
             "systemgroup.subscribeConfigChannel",
             "Add configuration channels to a group",
             {group, labels_parameter("configChannelLabels")},
             right::groups_change),
         handler(this, &self::add_to_group),
         faults}));
    return registry.add(
        {change_method(
             "systemgroup.unsubscribeConfigChannel",
             "Remove configuration channels from a group",
             {group, labels_parameter("configChannelLabels")},
             right::groups_change),
         handler(this, &self::remove_from_group),
         faults});
}

result<void> system_config_methods::declare(method_registry& registry) {
    CHECK_OK(declare_channels(registry));
    CHECK_OK(declare_files(registry));
    return declare_groups(registry);
}

async<method_response> system_config_methods::list_channels(call call) {
    CO_TRY(const auto match, deps_.fleet.find(call, call.integer("sid")));
    auto work = deps_.deployment.channels_of(match.number);
    CO_TRY(const auto labels, co_await within(deps_.clock, engine_timeout, std::move(work)));
    CO_TRY(const auto channels, deps_.configuration.channels.find_all(labels));
    co_return method_response{to_value(channels)};
}

async<method_response> system_config_methods::change_systems(call call, config_list_change change) {
    CO_TRY(const auto systems, deps_.fleet.find_all(call));
    const auto labels = read_labels(call, "configChannelLabels");
    CO_CHECK_OK(deps_.configuration.channels.find_all(labels));
    std::vector<system_number> numbers;
    for (const auto& system : systems) numbers.push_back(system.number);
    call.set_subject(fmt::format("{} systems: {}", numbers.size(), fmt::join(labels, " ")));
    auto work = deps_.configuration.profiles.change(
        std::move(numbers),
        [labels, change, anywhere = !call.zones()](fleet::system_profile& profile) -> result<void> {
            auto updated = apply_change(change, profile.config_channels, labels);
            if (!anywhere) {
                CHECK_OK(check_no_additions(profile.config_channels, updated));
            }
            profile.config_channels = std::move(updated);
            return {};
        },
        call.caller().user);
    CO_CHECK_OK(co_await within(deps_.clock, change_timeout, std::move(work)));
    co_return method_response{1};
}

async<method_response> system_config_methods::add_channels(call call) {
    using enum config_list_change;
    const auto change = read_flag(call, "addToTop") ? add_first : add_last;
    co_return co_await change_systems(std::move(call), change);
}

async<method_response> system_config_methods::set_channels(call call) {
    co_return co_await change_systems(std::move(call), config_list_change::replace);
}

async<method_response> system_config_methods::remove_channels(call call) {
    co_return co_await change_systems(std::move(call), config_list_change::remove);
}

async<std::vector<system_config_methods::deployed_file>> system_config_methods::all_files(
    system_number system, configuration::deployment::choice choice) const {
    std::vector<system_number> systems{system};
    choice.by_expression = true;  // of this one system all is wanted
    CO_TRY(const auto plan, co_await deps_.deployment.plan(std::move(systems), std::move(choice)));
    std::vector<deployed_file> files;
    if (plan.parts.empty()) co_return files;
    std::map<std::string, std::string> labels;  // by holder
    for (const auto& channel : deps_.configuration.channels.all())
        labels[configuration::held_by_channel(channel.number)] = channel.label;
    for (const auto& file : plan.parts.front().files)
        files.push_back({.file = file, .channel = labels[file.holder]});
    co_return files;
}

async<method_response> system_config_methods::list_files(call call) {
    CO_TRY(const auto match, deps_.fleet.find(call, call.integer("sid")));
    const bool local = read_flag(call, "listLocal");
    std::vector<deployed_file> files;
    if (local) {
        auto work = all_files(match.number, {});
        CO_TRY(files, co_await within(deps_.clock, engine_timeout, std::move(work)));
    } else {
        auto work = deps_.configuration.files.list(read_holder(call, "listLocal"));
        CO_TRY(auto sandbox, co_await within(deps_.clock, engine_timeout, std::move(work)));
        for (auto& file : sandbox) files.push_back({.file = std::move(file), .channel = {}});
    }
    value::list list;
    for (const auto& file : files) {
        auto item = to_value(file.file);
        const auto own_kind = local ? channel_kind::local : channel_kind::sandbox;
        auto& members = *item.get<value::record>();
        if (!file.channel.empty()) members.push_back({"channel_label", file.channel});
        members.push_back(
            {"channel_type", to_value(file.channel.empty() ? own_kind : channel_kind::normal)});
        list.push_back(std::move(item));
    }
    co_return method_response{std::move(list)};
}

async<value> system_config_methods::newest_revision_value(
    configuration::config_file file, std::string channel) const {
    file_revision_response response{
        .path = file.path, .channel = std::move(channel), .revision = file.newest(), .content = {}};
    if (!response.revision.digest.empty()) {
        auto work = deps_.configuration.files.content(response.revision.digest);
        CO_TRY(response.content, co_await within(deps_.clock, engine_timeout, std::move(work)));
    }
    co_return to_value(response);
}

async<method_response> system_config_methods::put(call call, path_kind kind) {
    CO_TRY(const auto match, deps_.fleet.find(call, call.integer("sid")));
    const auto path = call.text("path");
    call.set_subject(match.name + " " + path);
    CO_CHECK_OK(configuration::check_path(path));
    const auto holder = read_holder(call, "commitToLocal");
    auto lookup = deps_.configuration.files.read(holder, path);
    const auto before = co_await within(deps_.clock, engine_timeout, std::move(lookup));
    if (!before && before.error().code() != errc::not_found) co_return fail(before.error());
    CO_TRY(auto revision, read_revision(call, "data", kind, before ? &*before : nullptr));
    auto work = deps_.configuration.files.put(holder, path, std::move(revision));
    CO_TRY(auto result, co_await within(deps_.clock, engine_timeout, std::move(work)));
    CO_TRY(auto output, co_await newest_revision_value(std::move(result), {}));
    co_return method_response{std::move(output)};
}

async<method_response> system_config_methods::put_path(call call) {
    const auto kind = read_flag(call, "isDir") ? path_kind::directory : path_kind::file;
    co_return co_await put(std::move(call), kind);
}

async<method_response> system_config_methods::put_link(call call) {
    co_return co_await put(std::move(call), path_kind::symlink);
}

async<method_response> system_config_methods::look_up(call call) {
    CO_TRY(const auto match, deps_.fleet.find(call, call.integer("sid")));
    const auto paths = read_labels(call, "paths");
    const std::set<std::string> wanted_paths(paths.begin(), paths.end());
    std::vector<deployed_file> files;
    if (read_flag(call, "searchLocal")) {
        // The list of files is not secret; their contents may be.
        auto work =
            all_files(match.number, {.paths = wanted_paths, .looks_at = api::read_extent(call)});
        CO_TRY(files, co_await within(deps_.clock, engine_timeout, std::move(work)));
    } else {
        auto work = deps_.configuration.files.list(read_holder(call, "searchLocal"));
        CO_TRY(auto sandbox, co_await within(deps_.clock, engine_timeout, std::move(work)));
        for (auto& file : sandbox) files.push_back({.file = std::move(file), .channel = {}});
    }
    value::list list;
    for (auto& file : files) {
        if (!wanted_paths.contains(file.file.path)) continue;
        CO_TRY(
            auto output,
            co_await newest_revision_value(std::move(file.file), std::move(file.channel)));
        list.push_back(std::move(output));
    }
    co_return method_response{std::move(list)};
}

async<method_response> system_config_methods::remove_files(call call) {
    CO_TRY(const auto match, deps_.fleet.find(call, call.integer("sid")));
    auto paths = read_labels(call, "paths");
    call.set_subject(fmt::format("{}: {}", match.name, fmt::join(paths, " ")));
    auto work =
        deps_.configuration.files.remove(read_holder(call, "deleteFromLocal"), std::move(paths));
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return method_response{1};
}

result<std::string> system_config_methods::find_group(const call& call) const {
    const auto& group = call.text("systemGroupName");
    if (!deps_.fleet.deps().groups.current()->contains(group))
        return fail(errc::not_found, fmt::format("system group \"{}\" not found", group));
    return group;
}

async<method_response> system_config_methods::list_group_channels(call call) {
    CO_TRY(const auto group, find_group(call));
    CO_TRY(
        const auto channels,
        deps_.configuration.channels.find_all(deps_.configuration.channels.of_group(group)));
    co_return method_response{to_value(channels)};
}

async<method_response> system_config_methods::change_group(call call, config_list_change change) {
    CO_TRY(const auto group, find_group(call));
    const auto labels = read_labels(call, "configChannelLabels");
    CO_CHECK_OK(deps_.configuration.channels.find_all(labels));
    call.set_subject(fmt::format("{}: {}", group, fmt::join(labels, " ")));
    auto work = deps_.configuration.channels.change_group(
        group,
        [change, labels](std::vector<std::string> current) {
            return apply_change(change, std::move(current), labels);
        },
        call.caller().user);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return method_response{1};
}

async<method_response> system_config_methods::add_to_group(call call) {
    co_return co_await change_group(std::move(call), config_list_change::add_last);
}

async<method_response> system_config_methods::remove_from_group(call call) {
    co_return co_await change_group(std::move(call), config_list_change::remove);
}

}  // namespace muster::xmlrpc_api
