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
        if (of.path && *of.path != each.path) continue;
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

// Of the system itself, then of its groups; one that both have keeps the stronger place. One that
// was removed is not there, whoever still names it.
std::vector<std::string> deployment::labels_of(const fleet::system_profile& of) const {
    auto labels = of.config_channels;
    for (const auto& group : around_.groups_of(of.system)) {
        const auto more = without_channels(around_.channels.of_group(group), labels);
        labels.insert(labels.end(), more.begin(), more.end());
    }
    std::erase_if(labels, [&](const std::string& each) { return !around_.channels.find(each); });
    return labels;
}

async<std::vector<std::string>> deployment::channels_of(system_number system) const {
    CO_TRY(const auto profile, co_await around_.profiles.read_one(system));
    co_return labels_of(profile);
}

async<std::vector<deployment::part>> deployment::plan(
    std::vector<system_number> systems, choice of) const {
    CO_TRY(const auto profiles, co_await around_.profiles.read(systems));
    std::map<system_number, std::vector<std::string>> holders;  // strongest first
    std::set<std::string> all;
    for (const auto& [who, profile] : profiles) {
        auto& of_one = holders[who];
        if (!of.channel) of_one.push_back(held_by_system(who.value()));
        for (const auto& label : labels_of(profile)) {
            if (of.channel && *of.channel != label) continue;
            const auto found = around_.channels.find(label);
            if (found) of_one.push_back(held_by_channel(found->number));
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
