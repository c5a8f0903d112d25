#include "roles/config/deployment.h"

#include "adapters/pki/base64.h"
#include "core/table/utf8.h"
#include "roles/fleet/let_others_run.h"

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

// Of the system itself, then of its groups; one that both have keeps the stronger place, and one
// that several groups have is there by a label if one of them is. One that was removed is not
// there, whoever still names it.
std::vector<deployment::held> deployment::held_by(
    const fleet::system_profile& of, const ground& on) const {
    std::vector<held> all;
    const auto take = [&](const std::string& label, access::came_by how, const std::string& group) {
        const auto known = on.holders.find(label);
        if (known == on.holders.end()) return;
        const auto before = std::ranges::find(all, label, &held::channel);
        if (before == all.end()) {
            all.push_back({.holder = known->second, .channel = label, .how = how, .group = group});
        } else {
            before->how = std::min(before->how, how);
        }
    };
    for (const auto& each : of.config_channels) take(each, access::came_by::itself, {});
    for (const auto& each : on.groups) {
        if (!each.members.contains(of.system)) continue;
        const auto how = around_.has_label(of.system, each.name)
                             ? access::came_by::group_label
                             : access::came_by::group_expression;
        for (const auto& label : each.channels) take(label, how, each.name);
    }
    return all;
}

async<std::vector<std::string>> deployment::channels_of(system_number system) const {
    CO_TRY(const auto profile, co_await around_.profiles.read_one(system));
    CO_TRY(const auto known, look_around());
    std::vector<std::string> labels;
    for (auto& each : held_by(profile, known)) labels.push_back(std::move(each.channel));
    co_return labels;
}

async<deployment::standing> deployment::standing_of(
    std::vector<system_number> systems, choice of) const {
    CO_TRY(const auto profiles, co_await around_.profiles.read(std::move(systems)));
    CO_TRY(const auto known, look_around());
    standing made;
    for (const auto& [who, profile] : profiles) {
        auto& of_one = made[who];
        if (!of.channel) of_one.push_back({.holder = held_by_system(who.value())});
        for (auto& each : held_by(profile, known))
            if (!of.channel || *of.channel == each.channel) of_one.push_back(std::move(each));
        if (made.size() % systems_at_once == 0) co_await fleet::let_others_run();
    }
    co_return made;
}

deployment::chosen deployment::choose(
    const std::vector<held>& from, const file_book::by_holder& files, const choice& of) {
    chosen made;
    for (const auto& holder : from) {
        const auto found = files.find(holder.holder);
        if (found == files.end()) continue;
        for (const auto& each : found->second) {
            if (each.newest().kind == file_kind::sls) continue;
            if (!of.paths.empty() && !of.paths.contains(each.path)) continue;
            made.emplace(each.path, source{.file = &each, .from = &holder});
        }
    }
    return made;
}

// Two systems with the same text get the same files.
std::string deployment::name_of(const chosen& files) {
    std::string made;
    for (const auto& [path, each] : files)
        made += fmt::format("{}\n{}\n{}\n", each.file->holder, path, each.file->newest().revision);
    return made;
}

result<void> deployment::check_reached(
    system_number who, const chosen& files, access::extent from) {
    for (const auto& [path, each] : files) {
        if (access::reaches(from, each.from->how)) continue;
        return fail(
            errc::denied,
            fmt::format(
                "system {} has {} of the configuration channel {} by the expression of the group "
                "{}; that is for those with the right fleet.read in the whole cluster. Give the "
                "system the channel itself, or the group's label",
                who.value(),
                path,
                each.from->channel,
                each.from->group));
    }
    return {};
}

async<deployment::outline> deployment::plan(std::vector<system_number> systems, choice of) const {
    CO_TRY(const auto all, co_await standing_of(std::move(systems), of));
    std::set<std::string> holders;
    for (const auto& [who, of_one] : all)
        for (const auto& each : of_one) holders.insert(each.holder);
    CO_TRY(
        const auto files,
        co_await around_.files.list_all(std::vector<std::string>(holders.begin(), holders.end())));
    outline made;
    std::map<std::string, part> parts;
    std::size_t looked_at = 0;
    for (const auto& [who, of_one] : all) {
        if (++looked_at % systems_at_once == 0) co_await fleet::let_others_run();
        auto wanted = choose(of_one, files, of);
        CO_CHECK_OK(check_reached(who, wanted, of.looks_at));
        const auto left_out = std::erase_if(wanted, [&](const auto& each) {
            return !of.by_expression && each.second.from->how == access::came_by::group_expression;
        });
        if (left_out > 0) made.left_out.add(who);
        if (wanted.empty()) continue;
        auto& same = parts[name_of(wanted)];
        same.systems.add(who);
        if (!same.files.empty()) continue;
        for (const auto& [path, each] : wanted) same.files.push_back(*each.file);
    }
    for (auto& [name, each] : parts) made.parts.push_back(std::move(each));
    co_return made;
}

result<deployment::order> deployment::read_order(std::string_view arguments) {
    json::error_code failure;
    const auto given = json::parse({arguments.data(), arguments.size()}, failure);
    order made;
    if (!failure && given.is_array() && given.as_array().empty()) return made;
    if (failure || !given.is_object())
        return fail(errc::invalid, fmt::format("the arguments of {} are an object", scheduled_as));
    for (const auto& [name, value] : given.as_object()) {
        if (name == "channel" && value.is_string()) {
            made.of.channel = std::string(value.as_string());
        } else if (name == "by_expression" && value.is_bool()) {
            made.of.by_expression = value.as_bool();
        } else if (name == "dry_run" && value.is_bool()) {
            made.how = value.as_bool() ? mode::compare : mode::write;
        } else {
            return fail(
                errc::invalid,
                fmt::format(
                    "{} takes `channel` (a text), `by_expression` and `dry_run` (true or false), "
                    "not `{}` as it was given",
                    scheduled_as,
                    std::string_view(name.data(), name.size())));
        }
    }
    return made;
}

std::string deployment::why_nothing(std::uint64_t left_out) {
    if (left_out == 0) return "none of these systems has configuration files that could be written";
    return fmt::format(
        "{} of these systems have configuration files, but by the expression of a group only; "
        "`by_expression` has those written, too",
        left_out);
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

}  // namespace muster::config
