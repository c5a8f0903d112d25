#include "services/configuration/deployment.h"

#include "adapters/pki/base64.h"
#include "core/table/utf8.h"
#include "runtime/json/value_reader.h"
#include "services/fleet/let_others_run.h"

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

json::object file_json(const config_file& of, const std::string& content) {
    const auto& newest = of.newest();
    json::object result{{"type", to_string(newest.kind)}, {"path", of.path}};
    if (!newest.owner.empty()) result["owner"] = newest.owner;
    if (!newest.group.empty()) result["group"] = newest.group;
    if (!newest.mode.empty()) result["mode"] = newest.mode;
    if (newest.kind == file_kind::symlink) result["target"] = newest.target;
    if (newest.kind != file_kind::file) return result;
    if (table::is_utf8_without_nul(content)) {
        result["contents"] = content;
    } else {
        result["base64"] = pki::to_base64(content);
    }
    return result;
}

std::string arguments_text(const std::vector<std::string>& files, deployment::mode mode) {
    return fmt::format(
        R"({{"files":[{}],"test":{}}})", fmt::join(files, ","), mode == deployment::mode::compare);
}

configuration::held_files held_by_all(const config_file_store::by_holder& files) {
    configuration::held_files all;
    for (const auto& [holder, list] : files) {
        auto& held = all[holder];
        for (std::size_t place = 0; place < list.size(); ++place)
            held.push_back(
                {.path = list[place].path,
                 .revision = list[place].newest().revision,
                 .is_state = list[place].newest().kind == file_kind::sls,
                 .place = place});
    }
    return all;
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

result<deployment::ground> deployment::look_around() const {
    if (!deps_.channels.complete())
        return fail(errc::unavailable, "the server is still reading the configuration channels");
    ground ground;
    TRY(ground.groups, groups());
    for (const auto& each : deps_.channels.all())
        ground.holders.emplace(each.label, held_by_channel(each.number));
    return ground;
}

deployment::sources deployment::channels_of(
    const fleet::system_profile& of, const ground& on) const {
    std::vector<configuration::group_channels> in;
    for (const auto& group : on.groups)
        if (group.members.contains(of.system))
            in.push_back(
                {.name = group.name,
                 .channels = group.channels,
                 .by_label = deps_.systems.has_label(of.system, group.name)});
    return configuration::ranked_channels(of.config_channels, in, on.holders);
}

async<std::vector<std::string>> deployment::channels_of(system_number system) const {
    CO_TRY(const auto profile, co_await deps_.profiles.read_one(system));
    CO_TRY(const auto existing, look_around());
    std::vector<std::string> labels;
    for (auto& channel : channels_of(profile, existing))
        labels.push_back(std::move(channel.channel));
    co_return labels;
}

async<deployment::sources_by_system> deployment::sources_of(
    std::vector<system_number> systems, choice of) const {
    CO_TRY(const auto profiles, co_await deps_.profiles.read(std::move(systems)));
    CO_TRY(const auto existing, look_around());
    sources_by_system sources_by_system;
    for (const auto& [who, profile] : profiles) {
        sources_by_system[who] = configuration::chosen_sources(
            held_by_system(who.value()), channels_of(profile, existing), of);
        if (sources_by_system.size() % systems_at_once == 0) co_await fleet::let_others_run();
    }
    co_return sources_by_system;
}

async<deployment::outline> deployment::plan(std::vector<system_number> systems, choice of) const {
    CO_TRY(const auto all, co_await sources_of(std::move(systems), of));
    std::set<std::string> holders;
    for (const auto& [who, sources] : all)
        for (const auto& source : sources) holders.insert(source.holder);
    CO_TRY(
        const auto files,
        co_await deps_.files.list_all(std::vector<std::string>(holders.begin(), holders.end())));
    const auto held = held_by_all(files);
    configuration::file_plan plan(held, of);
    std::size_t looked_at = 0;
    for (const auto& [who, sources] : all) {
        if (++looked_at % systems_at_once == 0) co_await fleet::let_others_run();
        CO_CHECK_OK(plan.add(who, sources));
    }
    outline outline{.parts = {}, .left_out = plan.left_out()};
    for (auto& each : plan.parts()) {
        auto& part = outline.parts.emplace_back();
        part.systems = std::move(each.systems);
        for (const auto& chosen : each.files)
            part.files.push_back(files.at(*chosen.holder)[chosen.file->place]);
    }
    co_return outline;
}

result<deployment::order> deployment::read_order(std::string_view arguments) {
    return configuration::order_of(runtime::parse_json(arguments).value_or(api::value()));
}

async<std::vector<std::string>> deployment::arguments_of(
    std::vector<config_file> files, mode mode) const {
    std::vector<std::string> result;
    std::vector<std::string> some;
    std::size_t bytes = 0;
    for (const auto& file : files) {
        std::string content;
        if (!file.newest().digest.empty()) {
            CO_TRY(content, co_await deps_.files.content(file.newest().digest));
        }
        auto text = json::serialize(file_json(file, content));
        if (!some.empty() && bytes + text.size() > arguments_bytes_max) {
            result.push_back(arguments_text(some, mode));
            some.clear();
            bytes = 0;
        }
        bytes += text.size() + 1;
        some.push_back(std::move(text));
    }
    if (!some.empty()) result.push_back(arguments_text(some, mode));
    co_return result;
}

}  // namespace muster::configuration
