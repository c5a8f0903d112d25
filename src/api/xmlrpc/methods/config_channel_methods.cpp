#include "api/xmlrpc/methods/config_channel_methods.h"

#include "ports/deadline.h"

#include <fmt/format.h>

#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;

constexpr std::int64_t paths_max = 1'000;
constexpr std::int64_t revision_max = INT32_MAX;

parameter label() {
    return argument("label", name());
}

parameter path(const char* called = "path") {
    return argument(called, text());
}

// What files hold may be meant for few: whoever has rights in some zones sees what is for their
// systems (system.config.lookupFileInfo).
operation of_whole_cluster(operation operation) {
    operation.within = scope::cluster;
    return operation;
}

parameter paths() {
    return argument("paths", list_of(text(), paths_max));
}

}  // namespace

result<void> config_channel_methods::declare_channels(method_registry& to) {
    using self = config_channel_methods;
    const auto faults = config_faults();
    CHECK_OK(to.add(
        {asking("configchannel.listGlobals", "All channels", {}, list_of(channel_shape())),
         done_by(this, &self::list)}));
    auto details = asking("configchannel.getDetails", "A channel", {label()}, channel_shape());
    CHECK_OK(to.add({details, done_by(this, &self::get_details)}));
    details.takes = {argument("id", integer(1, INT32_MAX))};
    CHECK_OK(to.add({std::move(details), done_by(this, &self::get_details)}));
    auto there =
        asking("configchannel.channelExists", "Whether there is one", {label()}, integer(0));
    CHECK_OK(to.add({std::move(there), done_by(this, &self::exists)}));
    auto create = changing(
        "configchannel.create",
        "Makes a channel",
        {label(), argument("name", text()), argument("description", text())},
        right::common_edit,
        channel_shape());
    CHECK_OK(to.add({create, done_by(this, &self::create), faults}));
    create.takes.push_back(argument("type", text().with_choices({"normal", "state"})));
    CHECK_OK(to.add({create, done_by(this, &self::create), faults}));
    create.takes.push_back(argument("pathInfo", some_struct()));
    CHECK_OK(to.add({std::move(create), done_by(this, &self::create), faults}));
    CHECK_OK(to.add(
        {changing(
             "configchannel.update",
             "Names and describes a channel anew",
             {label(), argument("name", text()), argument("description", text())},
             right::common_edit,
             channel_shape()),
         done_by(this, &self::update),
         faults}));
    CHECK_OK(to.add(
        {changing(
             "configchannel.deleteChannels",
             "Removes channels with their files",
             {labels("labels")},
             right::common_edit),
         done_by(this, &self::remove),
         faults}));
    CHECK_OK(to.add(
        {asking(
             "configchannel.listSubscribedSystems",
             "Systems that have a channel, themselves or by a group",
             {label()},
             list_of(anything())),
         done_by(this, &self::list_systems)}));
    return to.add(
        {asking(
             "configchannel.listAssignedSystemGroups",
             "Groups that have a channel",
             {label()},
             list_of(anything())),
         done_by(this, &self::list_groups)});
}

result<void> config_channel_methods::declare_files(method_registry& to) {
    using self = config_channel_methods;
    const auto faults = config_faults();
    CHECK_OK(to.add(
        {asking(
             "configchannel.listFiles", "The files of a channel", {label()}, list_of(file_shape())),
         done_by(this, &self::list_files)}));
    CHECK_OK(to.add(
        {changing(
             "configchannel.createOrUpdatePath",
             "Gives a file or a directory a new revision",
             {label(),
              path(),
              argument("isDir", flag_or_number()),
              argument("pathInfo", some_struct())},
             right::common_edit,
             revision_shape()),
         done_by(this, &self::put_path),
         faults}));
    CHECK_OK(to.add(
        {changing(
             "configchannel.createOrUpdateSymlink",
             "Gives a link a new revision",
             {label(), path(), argument("pathInfo", some_struct())},
             right::common_edit,
             revision_shape()),
         done_by(this, &self::put_link),
         faults}));
    CHECK_OK(to.add(
        {changing(
             "configchannel.updateInitSls",
             "Gives the states of a channel a new revision",
             {label(), argument("pathInfo", some_struct())},
             right::common_edit,
             revision_shape()),
         done_by(this, &self::put_sls),
         faults}));
    CHECK_OK(to.add(
        {of_whole_cluster(asking(
             "configchannel.lookupFileInfo",
             "Files with what they hold",
             {label(), paths()},
             list_of(revision_shape()))),
         done_by(this, &self::look_up_many)}));
    CHECK_OK(to.add(
        {of_whole_cluster(asking(
             "configchannel.lookupFileInfo",
             "A revision of a file",
             {label(), path(), argument("revision", integer(1, revision_max))},
             revision_shape())),
         done_by(this, &self::look_up_one)}));
    CHECK_OK(to.add(
        {of_whole_cluster(asking(
             "configchannel.getEncodedFileRevision",
             "A revision of a file, in base64",
             {label(), path("filePath"), argument("revision", integer(1, revision_max))},
             revision_shape())),
         done_by(this, &self::get_encoded)}));
    CHECK_OK(to.add(
        {of_whole_cluster(asking(
             "configchannel.getFileRevisions",
             "All revisions of a file",
             {label(), path("filePath")},
             list_of(revision_shape()))),
         done_by(this, &self::list_revisions)}));
    return to.add(
        {changing(
             "configchannel.deleteFiles",
             "Removes files from a channel",
             {label(), paths()},
             right::common_edit),
         done_by(this, &self::remove_files),
         faults});
}

result<void> config_channel_methods::declare(method_registry& to) {
    CHECK_OK(declare_channels(to));
    return declare_files(to);
}

result<configuration::channel> config_channel_methods::channel_in(const call& call) const {
    call.set_subject(call.text("label"));
    return deps_.configuration.channels.find(call.text("label"));
}

async<answer> config_channel_methods::list(call /*asked*/) {
    co_return answer{told(deps_.configuration.channels.all())};
}

async<answer> config_channel_methods::get_details(call call) {
    const bool by_number = call.operation().takes.front().name == "id";
    const auto& channels = deps_.configuration.channels;
    CO_TRY(
        const auto match, by_number ? channels.find_number(call.integer("id")) : channel_in(call));
    co_return answer{told(match)};
}

async<answer> config_channel_methods::exists(call call) {
    co_return answer{deps_.configuration.channels.find(call.text("label")) ? 1 : 0};
}

async<answer> config_channel_methods::create(call call) {
    configuration::channel channel{.label = call.text("label"), .name = call.text("name")};
    call.set_subject(channel.label);
    channel.description = call.text("description");
    const bool typed = call.operation().takes.size() > 3;
    const bool state = typed && call.text("type") == "state";
    if (state) channel.kind = configuration::channel::type::state;
    auto states = configuration::config_file_store::new_revision();
    const bool input = call.operation().takes.size() > 4;
    if (state) {
        states.how.kind = configuration::file_kind::sls;
        states.how.by = call.who().user;
        if (input) {
            CO_TRY(states, revision_in(call, "pathInfo", path_sort::sls, nullptr));
        }
    }
    auto work = deps_.configuration.channels.add(std::move(channel), call.who().user);
    CO_TRY(const auto result, co_await within(deps_.clock, engine_timeout, std::move(work)));
    if (!state) co_return answer{told(result)};
    call.set_partly_done();
    auto first = deps_.configuration.files.put(
        configuration::held_by_channel(result.number),
        std::string(configuration::init_sls),
        std::move(states));
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(first)));
    co_return answer{told(result)};
}

async<answer> config_channel_methods::update(call call) {
    call.set_subject(call.text("label"));
    auto work = deps_.configuration.channels.describe(
        call.text("label"),
        {.name = call.text("name"), .text = call.text("description")},
        call.who().user);
    CO_TRY(const auto result, co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return answer{told(result)};
}

async<answer> config_channel_methods::remove(call call) {
    const auto desired = labels_in(call, "labels");
    call.set_subject(fmt::format("{}", fmt::join(desired, " ")));
    CO_CHECK_OK(deps_.configuration.channels.find_all(desired));
    for (const auto& each : desired) {
        auto work = deps_.configuration.channels.remove(each, call.who().user);
        CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
        call.set_partly_done();
    }
    co_return answer{1};
}

async<answer> config_channel_methods::list_files(call call) {
    CO_TRY(const auto of, channel_in(call));
    auto work = deps_.configuration.files.list(configuration::held_by_channel(of.number));
    CO_TRY(const auto files, co_await within(deps_.clock, engine_timeout, std::move(work)));
    value::list list;
    for (const auto& file : files) list.push_back(told_file(file));
    co_return answer{std::move(list)};
}

async<configuration::config_file> config_channel_methods::file_in(
    std::string label, std::string path) const {
    CO_TRY(const auto of, deps_.configuration.channels.find(label));
    auto work =
        deps_.configuration.files.read(configuration::held_by_channel(of.number), std::move(path));
    co_return co_await within(deps_.clock, engine_timeout, std::move(work));
}

// Revision zero is the newest.
async<value> config_channel_methods::revision_told(
    std::string label,
    configuration::config_file of,
    std::int64_t revision,
    spelling spelling) const {
    const auto* match = revision == 0 ? &of.newest() : of.find(revision);
    if (match == nullptr)
        co_return fail(errc::not_found, fmt::format("{} has no revision {}", of.path, revision));
    file_revision_response response{
        .path = of.path, .channel = label, .of = *match, .content = {}, .how = spelling};
    if (!match->digest.empty()) {
        auto work = deps_.configuration.files.content(match->digest);
        CO_TRY(response.content, co_await within(deps_.clock, engine_timeout, std::move(work)));
    }
    co_return told(response);
}

async<answer> config_channel_methods::put(
    call call, std::string path, std::string argument, path_sort path_sort) {
    CO_TRY(const auto of, channel_in(call));
    call.set_subject(of.label + " " + path);
    CO_CHECK_OK(configuration::check_path(path));
    const auto before = co_await file_in(of.label, path);
    if (!before && before.error().code() != errc::not_found) co_return fail(before.error());
    CO_TRY(auto desired, revision_in(call, argument, path_sort, before ? &*before : nullptr));
    auto work = deps_.configuration.files.put(
        configuration::held_by_channel(of.number), std::move(path), std::move(desired));
    CO_TRY(auto result, co_await within(deps_.clock, engine_timeout, std::move(work)));
    CO_TRY(auto output, co_await revision_told(of.label, std::move(result), 0, spelling::plain));
    co_return answer{std::move(output)};
}

async<answer> config_channel_methods::put_path(call call) {
    const auto what = flag_in(call, "isDir") ? path_sort::directory : path_sort::file;
    const auto path = call.text("path");
    co_return co_await put(std::move(call), path, "pathInfo", what);
}

async<answer> config_channel_methods::put_link(call call) {
    const auto path = call.text("path");
    co_return co_await put(std::move(call), path, "pathInfo", path_sort::symlink);
}

async<answer> config_channel_methods::put_sls(call call) {
    co_return co_await put(
        std::move(call), std::string(configuration::init_sls), "pathInfo", path_sort::sls);
}

async<answer> config_channel_methods::look_up_many(call call) {
    CO_TRY(const auto of, channel_in(call));
    value::list list;
    for (const auto& each : labels_in(call, "paths")) {
        auto match = co_await file_in(of.label, each);
        // Who asks for several is told of those that are there.
        if (!match && match.error().code() == errc::not_found) continue;
        CO_CHECK_OK(match);
        CO_TRY(auto file, co_await revision_told(of.label, *std::move(match), 0, spelling::plain));
        list.push_back(std::move(file));
    }
    co_return answer{std::move(list)};
}

async<answer> config_channel_methods::look_up_one(call call) {
    CO_TRY(auto match, co_await file_in(call.text("label"), call.text("path")));
    CO_TRY(
        auto output,
        co_await revision_told(
            call.text("label"), std::move(match), call.integer("revision"), spelling::plain));
    co_return answer{std::move(output)};
}

async<answer> config_channel_methods::get_encoded(call call) {
    CO_TRY(auto match, co_await file_in(call.text("label"), call.text("filePath")));
    CO_TRY(
        auto output,
        co_await revision_told(
            call.text("label"), std::move(match), call.integer("revision"), spelling::base64));
    co_return answer{std::move(output)};
}

async<answer> config_channel_methods::list_revisions(call call) {
    CO_TRY(const auto match, co_await file_in(call.text("label"), call.text("filePath")));
    value::list list;
    for (const auto& revision : match.revisions) {
        CO_TRY(
            auto output,
            co_await revision_told(call.text("label"), match, revision.revision, spelling::plain));
        list.push_back(std::move(output));
    }
    co_return answer{std::move(list)};
}

async<answer> config_channel_methods::remove_files(call call) {
    CO_TRY(const auto of, channel_in(call));
    auto paths = labels_in(call, "paths");
    call.set_subject(fmt::format("{} {}", of.label, fmt::join(paths, " ")));
    auto work = deps_.configuration.files.remove(
        configuration::held_by_channel(of.number), std::move(paths));
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return answer{1};
}

async<answer> config_channel_methods::list_systems(call call) {
    CO_TRY(const auto of, channel_in(call));
    auto members = deps_.configuration.profiles.with_channel(of.label);
    for (const auto& each : deps_.configuration.channels.groups_with(of.label)) {
        CO_TRY(const auto some, deps_.view.in_group(call, each));
        members |= some;
    }
    CO_TRY(const auto observed, deps_.view.meant(call));
    members &= observed;
    co_return deps_.view.list(
        std::move(members), [&view = deps_.view](const system_record& system) -> result<value> {
            return value::record{{"id", system.number.value()}, {"name", view.name_of(system)}};
        });
}

async<answer> config_channel_methods::list_groups(call call) {
    CO_TRY(const auto of, channel_in(call));
    const auto groups = deps_.view.around().groups.current();
    value::list list;
    for (const auto& each : deps_.configuration.channels.groups_with(of.label)) {
        const auto it = groups->find(each);
        if (it == groups->end()) continue;
        CO_TRY(const auto members, deps_.view.in_group(call, each));
        list.push_back(value::record{
            {"name", each},
            {"description", it->second.description},
            {"org_id", 1},
            {"system_count", static_cast<std::int64_t>(members.size())}});
    }
    co_return answer{std::move(list)};
}

}  // namespace muster::xmlrpc_api
