#include "core/configuration/file_plan.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace muster::configuration {
namespace {

struct candidate {
    const std::string* holder = nullptr;
    const held_file* file = nullptr;
    const file_source* from = nullptr;
};
using candidates = std::map<std::string_view, candidate>;  // by path

candidates strongest(
    std::span<const file_source> sources, const held_files& files, const file_choice& by) {
    candidates chosen;
    for (const auto& source : sources) {
        const auto it = files.find(source.holder);
        if (it == files.end()) continue;
        for (const auto& each : it->second) {
            if (each.is_state) continue;
            if (!by.paths.empty() && !by.paths.contains(each.path)) continue;
            chosen.emplace(
                each.path, candidate{.holder = &it->first, .file = &each, .from = &source});
        }
    }
    return chosen;
}

// Two systems with the same text get the same files.
std::string name_of(const candidates& files) {
    std::string name;
    for (const auto& [path, each] : files)
        name += *each.holder + "\n" + std::string(path) + "\n" + std::to_string(each.file->revision)
                + "\n";
    return name;
}

result<void> check_reached(
    system_number system_number, const candidates& files, access::extent from) {
    for (const auto& [path, each] : files) {
        if (access::reaches(from, each.from->how)) continue;
        return fail(
            errc::denied,
            "system " + std::to_string(system_number.value()) + " gets " + std::string(path)
                + " from configuration channel \"" + each.from->channel
                + "\" through the expression of group \"" + each.from->group
                + "\", which requires the right fleet.read in the whole cluster; assign the "
                  "channel to the system or add the system to the group");
    }
    return {};
}

}  // namespace

std::vector<file_source> ranked_channels(
    std::span<const std::string> own,
    std::span<const group_channels> groups,
    const channel_holders& channel_holders) {
    std::vector<file_source> all;
    const auto take = [&](const std::string& label,
                          access::subscription_source subscription_source,
                          const std::string& group) {
        const auto it = channel_holders.find(label);
        if (it == channel_holders.end()) return;
        const auto before = std::ranges::find(all, label, &file_source::channel);
        if (before == all.end()) {
            all.push_back(
                {.holder = it->second,
                 .channel = label,
                 .how = subscription_source,
                 .group = group});
        } else {
            before->how = std::min(before->how, subscription_source);
        }
    };
    for (const auto& each : own) take(each, access::subscription_source::itself, {});
    for (const auto& each : groups) {
        const auto how = each.by_label ? access::subscription_source::group_label
                                       : access::subscription_source::group_expression;
        for (const auto& label : each.channels) take(label, how, each.name);
    }
    return all;
}

std::vector<file_source> chosen_sources(
    std::string own, std::vector<file_source> channels, const file_choice& by) {
    if (by.channel) {
        std::erase_if(channels, [&](const auto& each) { return each.channel != *by.channel; });
        return channels;
    }
    channels.insert(channels.begin(), {.holder = std::move(own)});
    return channels;
}

result<void> file_plan::add(system_number system_number, std::span<const file_source> sources) {
    auto files = strongest(sources, files_, by_);
    CHECK_OK(check_reached(system_number, files, by_.looks_at));
    const auto left_out = std::erase_if(files, [&](const auto& each) {
        return !by_.by_expression
               && each.second.from->how == access::subscription_source::group_expression;
    });
    if (left_out > 0) left_out_.add(system_number);
    if (files.empty()) return {};
    auto& same = parts_[name_of(files)];
    same.systems.add(system_number);
    if (!same.files.empty()) return {};
    for (const auto& [path, each] : files)
        same.files.push_back({.holder = each.holder, .file = each.file});
    return {};
}

std::vector<file_plan::part> file_plan::parts() const {
    std::vector<part> all;
    for (const auto& [name, each] : parts_) all.push_back(each);
    return all;
}

}  // namespace muster::configuration
