#include "services/configuration/deployment.h"

#include "adapters/pki/base64.h"
#include "core/table/utf8.h"
#include "runtime/json/value_reader.h"
#include "services/fleet/yield_to_loop.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace muster::configuration {
namespace {

namespace json = boost::json;

// Below what one job can carry (jobs::arguments_bytes_max), with room for what stands around.
constexpr std::size_t arguments_bytes_max = std::size_t{900} * 1024;
constexpr std::size_t systems_at_once = 500;  // before others may run

json::object file_json(const config_file& file, const std::string& content) {
    const auto& newest = file.newest();
    json::object json_file{{"type", to_string(newest.kind)}, {"path", file.path}};
    if (!newest.owner.empty()) json_file["owner"] = newest.owner;
    if (!newest.group.empty()) json_file["group"] = newest.group;
    if (!newest.mode.empty()) json_file["mode"] = newest.mode;
    if (newest.kind == file_kind::symlink) json_file["target"] = newest.target;
    if (newest.kind != file_kind::file) return json_file;
    if (table::is_utf8_without_nul(content)) {
        json_file["contents"] = content;
    } else {
        json_file["base64"] = pki::to_base64(content);
    }
    return json_file;
}

std::string arguments_text(const std::vector<std::string>& files, deployment::mode mode) {
    return fmt::format(
        R"({{"files":[{}],"test":{}}})", fmt::join(files, ","), mode == deployment::mode::compare);
}

configuration::held_files to_held_files(const config_file_store::by_holder& files) {
    configuration::held_files held_files;
    for (const auto& [holder, list] : files) {
        auto& held = held_files[holder];
        for (std::size_t index = 0; index < list.size(); ++index)
            held.push_back(
                {.path = list[index].path,
                 .revision = list[index].newest().revision,
                 .is_state = list[index].newest().kind == file_kind::sls,
                 .place = index});
    }
    return held_files;
}

}  // namespace

result<std::vector<deployment::group>> deployment::groups() const {
    std::vector<group> groups;
    for (auto& [name, channels] : deps_.channels.by_group()) {
        auto members = deps_.systems.members_of(name);
        if (!members && members.error().code() == errc::unavailable) return fail(members.error());
        if (!members) continue;  // its expression means nobody any more
        groups.push_back({.name = name, .channels = channels, .members = *std::move(members)});
    }
    return groups;
}

result<deployment::plan_inputs> deployment::read_inputs() const {
    if (!deps_.channels.complete())
        return fail(errc::unavailable, "the server is still reading the configuration channels");
    plan_inputs inputs;
    TRY(inputs.groups, groups());
    for (const auto& channel : deps_.channels.all())
        inputs.holders.emplace(channel.label, held_by_channel(channel.number));
    return inputs;
}

deployment::sources deployment::channels_of(
    const fleet::system_profile& profile, const plan_inputs& inputs) const {
    std::vector<configuration::group_channels> groups;
    for (const auto& group : inputs.groups)
        if (group.members.contains(profile.system))
            groups.push_back(
                {.name = group.name,
                 .channels = group.channels,
                 .by_label = deps_.systems.has_label(profile.system, group.name)});
    return configuration::ranked_channels(profile.config_channels, groups, inputs.holders);
}

async<std::vector<std::string>> deployment::channels_of(system_number system) const {
    CO_TRY(const auto profile, co_await deps_.profiles.read_one(system));
    CO_TRY(const auto inputs, read_inputs());
    std::vector<std::string> labels;
    for (auto& channel : channels_of(profile, inputs)) labels.push_back(std::move(channel.channel));
    co_return labels;
}

async<deployment::sources_by_system> deployment::sources_of(
    std::vector<system_number> systems, choice choice) const {
    CO_TRY(const auto profiles, co_await deps_.profiles.read(std::move(systems)));
    CO_TRY(const auto inputs, read_inputs());
    sources_by_system sources_by_system;
    for (const auto& [system, profile] : profiles) {
        sources_by_system[system] = configuration::chosen_sources(
            held_by_system(system.value()), channels_of(profile, inputs), choice);
        if (sources_by_system.size() % systems_at_once == 0) co_await fleet::yield_to_loop();
    }
    co_return sources_by_system;
}

async<deployment::outline> deployment::plan(
    std::vector<system_number> systems, choice choice) const {
    CO_TRY(const auto sources_by_system, co_await sources_of(std::move(systems), choice));
    std::set<std::string> holders;
    for (const auto& [system, sources] : sources_by_system)
        for (const auto& source : sources) holders.insert(source.holder);
    CO_TRY(
        const auto files,
        co_await deps_.files.list_all(std::vector<std::string>(holders.begin(), holders.end())));
    const auto held = to_held_files(files);
    configuration::file_plan plan(held, choice);
    std::size_t planned = 0;
    for (const auto& [system, sources] : sources_by_system) {
        if (++planned % systems_at_once == 0) co_await fleet::yield_to_loop();
        CO_CHECK_OK(plan.add(system, sources));
    }
    outline outline{.parts = {}, .left_out = plan.left_out()};
    for (auto& planned_part : plan.parts()) {
        auto& part = outline.parts.emplace_back();
        part.systems = std::move(planned_part.systems);
        for (const auto& chosen : planned_part.files)
            part.files.push_back(files.at(*chosen.holder)[chosen.file->place]);
    }
    co_return outline;
}

result<deployment::request> deployment::parse_request(std::string_view arguments) {
    return configuration::parse_deployment_request(
        runtime::parse_json(arguments).value_or(api::value()));
}

async<std::vector<std::string>> deployment::arguments_of(
    std::vector<config_file> files, mode mode) const {
    std::vector<std::string> argument_sets;
    std::vector<std::string> files_json;
    std::size_t bytes = 0;
    for (const auto& file : files) {
        std::string content;
        if (!file.newest().digest.empty()) {
            CO_TRY(content, co_await deps_.files.content(file.newest().digest));
        }
        auto text = json::serialize(file_json(file, content));
        if (!files_json.empty() && bytes + text.size() > arguments_bytes_max) {
            argument_sets.push_back(arguments_text(files_json, mode));
            files_json.clear();
            bytes = 0;
        }
        bytes += text.size() + 1;
        files_json.push_back(std::move(text));
    }
    if (!files_json.empty()) argument_sets.push_back(arguments_text(files_json, mode));
    co_return argument_sets;
}

}  // namespace muster::configuration
