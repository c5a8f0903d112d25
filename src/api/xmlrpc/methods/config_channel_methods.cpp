#include "api/xmlrpc/methods/config_channel_methods.h"

#include "ports/deadline.h"

#include <fmt/format.h>

#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;
using api::engine_patience;

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
operation of_whole_cluster(operation what) {
    what.within = scope::cluster;
    return what;
}

parameter paths() {
    return argument("paths", list_of(text(), paths_max));
}

}  // namespace

result<void> config_channel_methods::declare_channels(method_book& to) {
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

result<void> config_channel_methods::declare_files(method_book& to) {
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

result<void> config_channel_methods::declare(method_book& to) {
    CHECK_OK(declare_channels(to));
    return declare_files(to);
}

result<configuration::channel> config_channel_methods::channel_in(const call& asked) const {
    asked.set_subject(asked.text("label"));
    return around_.kept.channels.find(asked.text("label"));
}

async<answer> config_channel_methods::list(call /*asked*/) {
    co_return answer{told(around_.kept.channels.all())};
}

async<answer> config_channel_methods::get_details(call asked) {
    const bool by_number = asked.operation().takes.front().name == "id";
    CO_TRY(
        const auto found,
        by_number ? around_.kept.channels.find_number(asked.integer("id")) : channel_in(asked));
    co_return answer{told(found)};
}

async<answer> config_channel_methods::exists(call asked) {
    co_return answer{around_.kept.channels.find(asked.text("label")) ? 1 : 0};
}

async<answer> config_channel_methods::create(call asked) {
    configuration::channel wanted{.label = asked.text("label"), .name = asked.text("name")};
    asked.set_subject(wanted.label);
    wanted.description = asked.text("description");
    const bool typed = asked.operation().takes.size() > 3;
    const bool state = typed && asked.text("type") == "state";
    if (state) wanted.kind = configuration::channel::type::state;
    auto states = configuration::file_book::new_revision();
    const bool given = asked.operation().takes.size() > 4;
    if (state) {
        states.how.kind = configuration::file_kind::sls;
        states.how.by = asked.who().user;
        if (given) {
            CO_TRY(states, revision_in(asked, "pathInfo", path_sort::sls, nullptr));
        }
    }
    auto work = around_.kept.channels.add(std::move(wanted), asked.who().user);
    CO_TRY(const auto made, co_await within(around_.time, engine_patience, std::move(work)));
    if (!state) co_return answer{told(made)};
    asked.set_partly_done();
    auto first = around_.kept.files.put(
        configuration::held_by_channel(made.number), std::string(configuration::init_sls), std::move(states));
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(first)));
    co_return answer{told(made)};
}

async<answer> config_channel_methods::update(call asked) {
    asked.set_subject(asked.text("label"));
    auto work = around_.kept.channels.describe(
        asked.text("label"),
        {.name = asked.text("name"), .text = asked.text("description")},
        asked.who().user);
    CO_TRY(const auto made, co_await within(around_.time, engine_patience, std::move(work)));
    co_return answer{told(made)};
}

async<answer> config_channel_methods::remove(call asked) {
    const auto wanted = labels_in(asked, "labels");
    asked.set_subject(fmt::format("{}", fmt::join(wanted, " ")));
    CO_CHECK_OK(around_.kept.channels.find_all(wanted));
    for (const auto& each : wanted) {
        auto work = around_.kept.channels.remove(each, asked.who().user);
        CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(work)));
        asked.set_partly_done();
    }
    co_return answer{1};
}

async<answer> config_channel_methods::list_files(call asked) {
    CO_TRY(const auto of, channel_in(asked));
    auto work = around_.kept.files.list(configuration::held_by_channel(of.number));
    CO_TRY(const auto files, co_await within(around_.time, engine_patience, std::move(work)));
    value::list made;
    for (const auto& each : files) made.push_back(told_file(each));
    co_return answer{std::move(made)};
}

async<configuration::config_file> config_channel_methods::file_in(
    std::string label, std::string path) const {
    CO_TRY(const auto of, around_.kept.channels.find(label));
    auto work = around_.kept.files.read(configuration::held_by_channel(of.number), std::move(path));
    co_return co_await within(around_.time, engine_patience, std::move(work));
}

// Revision zero is the newest.
async<value> config_channel_methods::revision_told(
    std::string label, configuration::config_file of, std::int64_t revision, spelling how) const {
    const auto* found = revision == 0 ? &of.newest() : of.find(revision);
    if (found == nullptr)
        co_return fail(errc::not_found, fmt::format("{} has no revision {}", of.path, revision));
    told_revision what{.path = of.path, .channel = label, .of = *found, .content = {}, .how = how};
    if (!found->digest.empty()) {
        auto work = around_.kept.files.content(found->digest);
        CO_TRY(what.content, co_await within(around_.time, engine_patience, std::move(work)));
    }
    co_return told(what);
}

async<answer> config_channel_methods::put(
    call asked, std::string path, std::string argument, path_sort what) {
    CO_TRY(const auto of, channel_in(asked));
    asked.set_subject(of.label + " " + path);
    CO_CHECK_OK(configuration::check_path(path));
    const auto before = co_await file_in(of.label, path);
    if (!before && before.error().code() != errc::not_found) co_return fail(before.error());
    CO_TRY(auto wanted, revision_in(asked, argument, what, before ? &*before : nullptr));
    auto work = around_.kept.files.put(
        configuration::held_by_channel(of.number), std::move(path), std::move(wanted));
    CO_TRY(auto made, co_await within(around_.time, engine_patience, std::move(work)));
    CO_TRY(auto shown, co_await revision_told(of.label, std::move(made), 0, spelling::plain));
    co_return answer{std::move(shown)};
}

async<answer> config_channel_methods::put_path(call asked) {
    const auto what = flag_in(asked, "isDir") ? path_sort::directory : path_sort::file;
    const auto path = asked.text("path");
    co_return co_await put(std::move(asked), path, "pathInfo", what);
}

async<answer> config_channel_methods::put_link(call asked) {
    const auto path = asked.text("path");
    co_return co_await put(std::move(asked), path, "pathInfo", path_sort::symlink);
}

async<answer> config_channel_methods::put_sls(call asked) {
    co_return co_await put(
        std::move(asked), std::string(configuration::init_sls), "pathInfo", path_sort::sls);
}

async<answer> config_channel_methods::look_up_many(call asked) {
    CO_TRY(const auto of, channel_in(asked));
    value::list made;
    for (const auto& each : labels_in(asked, "paths")) {
        auto found = co_await file_in(of.label, each);
        // Who asks for several is told of those that are there.
        if (!found && found.error().code() == errc::not_found) continue;
        CO_CHECK_OK(found);
        CO_TRY(auto shown, co_await revision_told(of.label, *std::move(found), 0, spelling::plain));
        made.push_back(std::move(shown));
    }
    co_return answer{std::move(made)};
}

async<answer> config_channel_methods::look_up_one(call asked) {
    CO_TRY(auto found, co_await file_in(asked.text("label"), asked.text("path")));
    CO_TRY(
        auto shown,
        co_await revision_told(
            asked.text("label"), std::move(found), asked.integer("revision"), spelling::plain));
    co_return answer{std::move(shown)};
}

async<answer> config_channel_methods::get_encoded(call asked) {
    CO_TRY(auto found, co_await file_in(asked.text("label"), asked.text("filePath")));
    CO_TRY(
        auto shown,
        co_await revision_told(
            asked.text("label"), std::move(found), asked.integer("revision"), spelling::base64));
    co_return answer{std::move(shown)};
}

async<answer> config_channel_methods::list_revisions(call asked) {
    CO_TRY(const auto found, co_await file_in(asked.text("label"), asked.text("filePath")));
    value::list made;
    for (const auto& each : found.revisions) {
        CO_TRY(
            auto shown,
            co_await revision_told(asked.text("label"), found, each.revision, spelling::plain));
        made.push_back(std::move(shown));
    }
    co_return answer{std::move(made)};
}

async<answer> config_channel_methods::remove_files(call asked) {
    CO_TRY(const auto of, channel_in(asked));
    auto paths = labels_in(asked, "paths");
    asked.set_subject(fmt::format("{} {}", of.label, fmt::join(paths, " ")));
    auto work = around_.kept.files.remove(configuration::held_by_channel(of.number), std::move(paths));
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(work)));
    co_return answer{1};
}

async<answer> config_channel_methods::list_systems(call asked) {
    CO_TRY(const auto of, channel_in(asked));
    auto members = around_.kept.profiles.with_channel(of.label);
    for (const auto& each : around_.kept.channels.groups_with(of.label)) {
        CO_TRY(const auto some, around_.view.in_group(asked, each));
        members |= some;
    }
    CO_TRY(const auto seen, around_.view.meant(asked));
    members &= seen;
    co_return around_.view.list(
        std::move(members), [&view = around_.view](const system_record& each) -> result<value> {
            return value::record{{"id", each.number.value()}, {"name", view.name_of(each)}};
        });
}

async<answer> config_channel_methods::list_groups(call asked) {
    CO_TRY(const auto of, channel_in(asked));
    const auto known = around_.view.around().groups.current();
    value::list made;
    for (const auto& each : around_.kept.channels.groups_with(of.label)) {
        const auto found = known->find(each);
        if (found == known->end()) continue;
        CO_TRY(const auto members, around_.view.in_group(asked, each));
        made.push_back(value::record{
            {"name", each},
            {"description", found->second.description},
            {"org_id", 1},
            {"system_count", static_cast<std::int64_t>(members.size())}});
    }
    co_return answer{std::move(made)};
}

}  // namespace muster::xmlrpc_api
