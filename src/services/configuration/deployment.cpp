#include "services/configuration/deployment.h"

#include "adapters/pki/base64.h"
#include "core/table/utf8.h"
#include "services/fleet/let_others_run.h"
#include "runtime/json/value_reader.h"

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
    json::object made{{"type", to_string(newest.kind)}, {"path", of.path}};
    if (!newest.owner.empty()) made["owner"] = newest.owner;
    if (!newest.group.empty()) made["group"] = newest.group;
    if (!newest.mode.empty()) made["mode"] = newest.mode;
    if (newest.kind == file_kind::symlink) made["target"] = newest.target;
    if (newest.kind != file_kind::file) return made;
    if (table::is_utf8_without_nul(content)) {
        made["contents"] = content;
    } else {
        made["base64"] = pki::to_base64(content);
    }
    return made;
}

std::string arguments_text(const std::vector<std::string>& files, deployment::mode how) {
    return fmt::format(
        R"({{"files":[{}],"test":{}}})", fmt::join(files, ","), how == deployment::mode::compare);
}

configuration::held_files held_by_all(const file_book::by_holder& files) {
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
    std::vector<group> made;
    for (auto& [name, channels] : around_.channels.by_group()) {
        auto members = around_.members_of(name);
        if (!members && members.error().code() == errc::unavailable) return fail(members.error());
        if (!members) continue;  // its expression means nobody any more
        made.push_back({.name = name, .channels = channels, .members = *std::move(members)});
    }
    return made;
}

result<deployment::ground> deployment::look_around() const {
    if (!around_.channels.complete())
        return fail(errc::unavailable, "the server is still reading the configuration channels");
    ground made;
    TRY(made.groups, groups());
    for (const auto& each : around_.channels.all())
        made.holders.emplace(each.label, held_by_channel(each.number));
    return made;
}

deployment::sources deployment::channels_of(
    const fleet::system_profile& of, const ground& on) const {
    std::vector<configuration::group_channels> in;
    for (const auto& each : on.groups)
        if (each.members.contains(of.system))
            in.push_back(
                {.name = each.name,
                 .channels = each.channels,
                 .by_label = around_.has_label(of.system, each.name)});
    return configuration::ranked_channels(of.config_channels, in, on.holders);
}

async<std::vector<std::string>> deployment::channels_of(system_number system) const {
    CO_TRY(const auto profile, co_await around_.profiles.read_one(system));
    CO_TRY(const auto known, look_around());
    std::vector<std::string> labels;
    for (auto& each : channels_of(profile, known)) labels.push_back(std::move(each.channel));
    co_return labels;
}

async<deployment::sources_by_system> deployment::sources_of(
    std::vector<system_number> systems, choice of) const {
    CO_TRY(const auto profiles, co_await around_.profiles.read(std::move(systems)));
    CO_TRY(const auto known, look_around());
    sources_by_system made;
    for (const auto& [who, profile] : profiles) {
        made[who] = configuration::chosen_sources(
            held_by_system(who.value()), channels_of(profile, known), of);
        if (made.size() % systems_at_once == 0) co_await fleet::let_others_run();
    }
    co_return made;
}

async<deployment::outline> deployment::plan(std::vector<system_number> systems, choice of) const {
    CO_TRY(const auto all, co_await sources_of(std::move(systems), of));
    std::set<std::string> holders;
    for (const auto& [who, sources] : all)
        for (const auto& each : sources) holders.insert(each.holder);
    CO_TRY(
        const auto files,
        co_await around_.files.list_all(std::vector<std::string>(holders.begin(), holders.end())));
    const auto held = held_by_all(files);
    configuration::file_plan plan(held, of);
    std::size_t looked_at = 0;
    for (const auto& [who, sources] : all) {
        if (++looked_at % systems_at_once == 0) co_await fleet::let_others_run();
        CO_CHECK_OK(plan.add(who, sources));
    }
    outline made{.parts = {}, .left_out = plan.left_out()};
    for (auto& each : plan.parts()) {
        auto& part = made.parts.emplace_back();
        part.systems = std::move(each.systems);
        for (const auto& chosen : each.files)
            part.files.push_back(files.at(*chosen.holder)[chosen.file->place]);
    }
    co_return made;
}

result<deployment::order> deployment::read_order(std::string_view arguments) {
    return configuration::order_of(runtime::parse_json(arguments).value_or(api::value()));
}

async<std::vector<std::string>> deployment::arguments_of(
    std::vector<config_file> files, mode how) const {
    std::vector<std::string> made;
    std::vector<std::string> some;
    std::size_t bytes = 0;
    for (const auto& each : files) {
        std::string content;
        if (!each.newest().digest.empty()) {
            CO_TRY(content, co_await around_.files.content(each.newest().digest));
        }
        auto text = json::serialize(file_json(each, content));
        if (!some.empty() && bytes + text.size() > arguments_bytes_max) {
            made.push_back(arguments_text(some, how));
            some.clear();
            bytes = 0;
        }
        bytes += text.size() + 1;
        some.push_back(std::move(text));
    }
    if (!some.empty()) made.push_back(arguments_text(some, how));
    co_return made;
}

}  // namespace muster::configuration
