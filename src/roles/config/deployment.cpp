#include "roles/config/deployment.h"

#include "adapters/pki/base64.h"
#include "core/table/utf8.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace muster::config {
namespace {

namespace json = boost::json;

// Below what one job can carry (jobs::arguments_bytes_max), with room for what stands around.
constexpr std::size_t arguments_bytes_max = std::size_t{900} * 1024;

using chosen = std::map<std::string, const config_file*>;  // by path

void add(chosen& to, const std::vector<config_file>& from, const deployment::choice& of) {
    for (const auto& each : from) {
        if (each.newest().kind == file_kind::sls) continue;
        if (!of.paths.empty() && !of.paths.contains(each.path)) continue;
        to.emplace(each.path, &each);
    }
}

// Two systems with the same text get the same files.
std::string name_of(const chosen& files) {
    std::string made;
    for (const auto& [path, each] : files)
        made += fmt::format("{}\n{}\n{}\n", each->holder, path, each->newest().revision);
    return made;
}

json::object file_json(const config_file& of, std::string content) {
    const auto& newest = of.newest();
    json::object made{{"type", to_string(newest.kind)}, {"path", of.path}};
    if (!newest.owner.empty()) made["owner"] = newest.owner;
    if (!newest.group.empty()) made["group"] = newest.group;
    if (!newest.mode.empty()) made["mode"] = newest.mode;
    if (newest.kind == file_kind::symlink) made["target"] = newest.target;
    if (newest.kind != file_kind::file) return made;
    if (table::is_utf8_without_nul(content)) {
        made["contents"] = std::move(content);
    } else {
        made["base64"] = pki::to_base64(content);
    }
    return made;
}

std::string arguments_text(const std::vector<std::string>& files, deployment::mode how) {
    return fmt::format(
        R"({{"files":[{}],"test":{}}})", fmt::join(files, ","), how == deployment::mode::compare);
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

// Of the system itself, then of its groups; one that both have keeps the stronger place, and one
// that several groups have is there by a label if one of them is. One that was removed is not
// there, whoever still names it.
std::vector<deployment::held> deployment::held_by(
    const fleet::system_profile& of, const std::vector<group>& groups) const {
    std::vector<held> all;
    for (const auto& each : of.config_channels) all.push_back({.channel = each});
    for (const auto& each : groups) {
        if (!each.members.contains(of.system)) continue;
        const auto how = around_.has_label(of.system, each.name)
                             ? access::came_by::group_label
                             : access::came_by::group_expression;
        for (const auto& label : each.channels) {
            const auto before = std::ranges::find(all, label, &held::channel);
            if (before == all.end()) {
                all.push_back({.channel = label, .how = how, .group = each.name});
            } else {
                before->how = std::min(before->how, how);
            }
        }
    }
    std::erase_if(all, [&](const held& each) { return !around_.channels.find(each.channel); });
    return all;
}

async<std::vector<std::string>> deployment::channels_of(system_number system) const {
    CO_TRY(const auto profile, co_await around_.profiles.read_one(system));
    CO_TRY(const auto known, groups());
    std::vector<std::string> labels;
    for (auto& each : held_by(profile, known)) labels.push_back(std::move(each.channel));
    co_return labels;
}

result<void> deployment::check_reached(
    system_number who, const held& what, const std::string& path, access::extent from) const {
    if (access::reaches(from, what.how)) return {};
    return fail(
        errc::denied,
        fmt::format(
            "system {} has {} of the configuration channel {} by the expression of the group {}; "
            "that is for those with the right fleet.read in the whole cluster. Give the system "
            "the channel itself, or the group's label",
            who.value(),
            path,
            what.channel,
            what.group));
}

async<std::vector<deployment::part>> deployment::plan(
    std::vector<system_number> systems, choice of) const {
    CO_TRY(const auto profiles, co_await around_.profiles.read(systems));
    CO_TRY(const auto known, groups());
    std::map<system_number, std::map<std::string, held>> channels;  // by holder
    std::map<system_number, std::vector<std::string>> holders;      // strongest first
    std::set<std::string> all;
    for (const auto& [who, profile] : profiles) {
        auto& of_one = holders[who];
        if (!of.channel) of_one.push_back(held_by_system(who.value()));
        for (auto& each : held_by(profile, known)) {
            if (of.channel && *of.channel != each.channel) continue;
            const auto found = around_.channels.find(each.channel);
            if (!found) continue;
            of_one.push_back(held_by_channel(found->number));
            channels[who].emplace(of_one.back(), std::move(each));
        }
        all.insert(of_one.begin(), of_one.end());
    }
    CO_TRY(
        const auto files,
        co_await around_.files.list_all(std::vector<std::string>(all.begin(), all.end())));
    std::map<std::string, part> parts;
    for (const auto& [who, of_one] : holders) {
        chosen wanted;
        for (const auto& each : of_one) {
            const auto found = files.find(each);
            if (found != files.end()) add(wanted, found->second, of);
        }
        if (wanted.empty()) continue;
        for (const auto& [path, each] : wanted) {
            const auto from = channels[who].find(each->holder);
            if (from == channels[who].end()) continue;  // the system's own
            CO_CHECK_OK(check_reached(who, from->second, path, of.looks_at));
        }
        auto& made = parts[name_of(wanted)];
        made.systems.add(who);
        if (!made.files.empty()) continue;
        for (const auto& [path, each] : wanted) made.files.push_back(*each);
    }
    std::vector<part> made;
    for (auto& [name, each] : parts) made.push_back(std::move(each));
    co_return made;
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
        auto text = json::serialize(file_json(each, std::move(content)));
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

}  // namespace muster::config
