#include "api/xmlrpc/methods/config_channel_methods.h"

#include "ports/deadline.h"

#include <fmt/format.h>

#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;

}  // namespace

result<configuration::channel> config_channel_methods::find(const call& call) const {
    call.set_subject(call.text("label"));
    return deps_.configuration.channels.find(call.text("label"));
}

async<method_response> config_channel_methods::list(call /*call*/) {
    co_return method_response{to_value(deps_.configuration.channels.all())};
}

async<method_response> config_channel_methods::get_details(call call) {
    const bool by_number = call.operation().takes.front().name == "id";
    const auto& channels = deps_.configuration.channels;
    CO_TRY(const auto match, by_number ? channels.find_number(call.integer("id")) : find(call));
    co_return method_response{to_value(match)};
}

async<method_response> config_channel_methods::exists(call call) {
    co_return method_response{deps_.configuration.channels.find(call.text("label")) ? 1 : 0};
}

async<method_response> config_channel_methods::create(call call) {
    configuration::channel channel{.label = call.text("label"), .name = call.text("name")};
    call.set_subject(channel.label);
    channel.description = call.text("description");
    const bool has_type = call.operation().takes.size() > 3;
    const bool is_state_channel = has_type && call.text("type") == "state";
    if (is_state_channel) channel.kind = configuration::channel::type::state;
    auto initial_states = configuration::config_file_store::new_revision();
    const bool has_content = call.operation().takes.size() > 4;
    if (is_state_channel) {
        initial_states.how.kind = configuration::file_kind::sls;
        initial_states.how.by = call.caller().user;
        if (has_content) {
            CO_TRY(initial_states, read_revision(call, "pathInfo", path_kind::sls, nullptr));
        }
    }
    auto work = deps_.configuration.channels.add(std::move(channel), call.caller().user);
    CO_TRY(const auto result, co_await within(deps_.clock, engine_timeout, std::move(work)));
    if (!is_state_channel) co_return method_response{to_value(result)};
    call.set_partly_done();
    auto first = deps_.configuration.files.put(
        configuration::held_by_channel(result.number),
        std::string(configuration::init_sls),
        std::move(initial_states));
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(first)));
    co_return method_response{to_value(result)};
}

async<method_response> config_channel_methods::update(call call) {
    call.set_subject(call.text("label"));
    auto work = deps_.configuration.channels.describe(
        call.text("label"),
        {.name = call.text("name"), .text = call.text("description")},
        call.caller().user);
    CO_TRY(const auto result, co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return method_response{to_value(result)};
}

async<method_response> config_channel_methods::remove(call call) {
    const auto labels = read_labels(call, "labels");
    call.set_subject(fmt::format("{}", fmt::join(labels, " ")));
    CO_CHECK_OK(deps_.configuration.channels.find_all(labels));
    for (const auto& label : labels) {
        auto work = deps_.configuration.channels.remove(label, call.caller().user);
        CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
        call.set_partly_done();
    }
    co_return method_response{1};
}

async<method_response> config_channel_methods::list_files(call call) {
    CO_TRY(const auto channel, find(call));
    auto work = deps_.configuration.files.list(configuration::held_by_channel(channel.number));
    CO_TRY(const auto files, co_await within(deps_.clock, engine_timeout, std::move(work)));
    value::list list;
    for (const auto& file : files) list.push_back(to_value(file));
    co_return method_response{std::move(list)};
}

async<configuration::config_file> config_channel_methods::read_file(
    std::string label, std::string path) const {
    CO_TRY(const auto channel, deps_.configuration.channels.find(label));
    auto work = deps_.configuration.files.read(
        configuration::held_by_channel(channel.number), std::move(path));
    co_return co_await within(deps_.clock, engine_timeout, std::move(work));
}

// Revision zero is the newest.
async<value> config_channel_methods::to_item(
    std::string label,
    configuration::config_file file,
    std::int64_t revision,
    encoding encoding) const {
    const auto* match = revision == 0 ? &file.newest() : file.find(revision);
    if (match == nullptr)
        co_return fail(errc::not_found, fmt::format("{} has no revision {}", file.path, revision));
    file_revision_response response{
        .path = file.path,
        .channel = label,
        .revision = *match,
        .content = {},
        .encoding = encoding};
    if (!match->digest.empty()) {
        auto work = deps_.configuration.files.content(match->digest);
        CO_TRY(response.content, co_await within(deps_.clock, engine_timeout, std::move(work)));
    }
    co_return to_value(response);
}

async<method_response> config_channel_methods::put(
    call call, std::string path, std::string argument, path_kind kind) {
    CO_TRY(const auto channel, find(call));
    call.set_subject(channel.label + " " + path);
    CO_CHECK_OK(configuration::check_path(path));
    const auto before = co_await read_file(channel.label, path);
    if (!before && before.error().code() != errc::not_found) co_return fail(before.error());
    CO_TRY(auto revision, read_revision(call, argument, kind, before ? &*before : nullptr));
    auto work = deps_.configuration.files.put(
        configuration::held_by_channel(channel.number), std::move(path), std::move(revision));
    CO_TRY(auto file, co_await within(deps_.clock, engine_timeout, std::move(work)));
    CO_TRY(auto item, co_await to_item(channel.label, std::move(file), 0, encoding::plain));
    co_return method_response{std::move(item)};
}

async<method_response> config_channel_methods::put_path(call call) {
    const auto kind = read_flag(call, "isDir") ? path_kind::directory : path_kind::file;
    const auto path = call.text("path");
    co_return co_await put(std::move(call), path, "pathInfo", kind);
}

async<method_response> config_channel_methods::put_link(call call) {
    const auto path = call.text("path");
    co_return co_await put(std::move(call), path, "pathInfo", path_kind::symlink);
}

async<method_response> config_channel_methods::put_sls(call call) {
    co_return co_await put(
        std::move(call), std::string(configuration::init_sls), "pathInfo", path_kind::sls);
}

async<method_response> config_channel_methods::look_up_files(call call) {
    CO_TRY(const auto channel, find(call));
    value::list list;
    for (const auto& path : read_labels(call, "paths")) {
        auto file = co_await read_file(channel.label, path);
        if (!file && file.error().code() == errc::not_found) continue;  // skipped
        CO_CHECK_OK(file);
        CO_TRY(auto item, co_await to_item(channel.label, *std::move(file), 0, encoding::plain));
        list.push_back(std::move(item));
    }
    co_return method_response{std::move(list)};
}

async<method_response> config_channel_methods::look_up_file(call call) {
    CO_TRY(auto file, co_await read_file(call.text("label"), call.text("path")));
    CO_TRY(
        auto item,
        co_await to_item(
            call.text("label"), std::move(file), call.integer("revision"), encoding::plain));
    co_return method_response{std::move(item)};
}

async<method_response> config_channel_methods::get_encoded(call call) {
    CO_TRY(auto file, co_await read_file(call.text("label"), call.text("filePath")));
    CO_TRY(
        auto item,
        co_await to_item(
            call.text("label"), std::move(file), call.integer("revision"), encoding::base64));
    co_return method_response{std::move(item)};
}

async<method_response> config_channel_methods::list_revisions(call call) {
    CO_TRY(const auto file, co_await read_file(call.text("label"), call.text("filePath")));
    value::list list;
    for (const auto& revision : file.revisions) {
        CO_TRY(
            auto item,
            co_await to_item(call.text("label"), file, revision.revision, encoding::plain));
        list.push_back(std::move(item));
    }
    co_return method_response{std::move(list)};
}

async<method_response> config_channel_methods::remove_files(call call) {
    CO_TRY(const auto channel, find(call));
    auto paths = read_labels(call, "paths");
    call.set_subject(fmt::format("{} {}", channel.label, fmt::join(paths, " ")));
    auto work = deps_.configuration.files.remove(
        configuration::held_by_channel(channel.number), std::move(paths));
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return method_response{1};
}

async<method_response> config_channel_methods::list_systems(call call) {
    CO_TRY(const auto channel, find(call));
    auto members = deps_.configuration.profiles.with_channel(channel.label);
    for (const auto& group : deps_.configuration.channels.groups_with(channel.label)) {
        CO_TRY(const auto group_members, deps_.fleet.find_group_members(call, group));
        members |= group_members;
    }
    CO_TRY(const auto visible, deps_.fleet.find_systems(call));
    members &= visible;
    co_return deps_.fleet.list(
        std::move(members), [&fleet = deps_.fleet](const system_record& system) -> result<value> {
            return value::record{{"id", system.number.value()}, {"name", fleet.name_of(system)}};
        });
}

async<method_response> config_channel_methods::list_groups(call call) {
    CO_TRY(const auto channel, find(call));
    const auto groups = deps_.fleet.deps().groups.current();
    value::list list;
    for (const auto& group : deps_.configuration.channels.groups_with(channel.label)) {
        const auto it = groups->find(group);
        if (it == groups->end()) continue;
        CO_TRY(const auto members, deps_.fleet.find_group_members(call, group));
        list.push_back(value::record{
            {"name", group},
            {"description", it->second.description},
            {"org_id", 1},
            {"system_count", static_cast<std::int64_t>(members.size())}});
    }
    co_return method_response{std::move(list)};
}

}  // namespace muster::xmlrpc_api
