#include "api/xmlrpc/methods/activation_key_format.h"

#include "api/xmlrpc/methods/entitlements.h"

#include <algorithm>
#include <utility>

namespace muster::xmlrpc_api {

using namespace api;

namespace {

constexpr std::int64_t packages_max = 200;

value::list to_list(const std::vector<std::string>& words) {
    value::list list;
    for (const auto& word : words) list.emplace_back(word);
    return list;
}

}  // namespace

shape activation_shape() {
    return map_of(anything());
}

value to_value(const fleet::stored_rule& rule, value::list group_numbers) {
    const auto& key = *rule.as_key;
    value::list names;
    value::list packages;
    for (const auto& package : key.packages) {
        const auto blank = package.find(' ');
        names.emplace_back(package.substr(0, blank));
        value::record record{{"name", package.substr(0, blank)}};
        if (blank != std::string::npos) record.push_back({"arch", package.substr(blank + 1)});
        packages.emplace_back(std::move(record));
    }
    const auto& contact = key.contact_method;
    return value::record{
        {"key", key.key},
        {"description", key.description},
        {"usage_limit", key.usage_limit.value_or(0)},
        {"base_channel_label", key.base_channel.empty() ? "none" : key.base_channel},
        {"child_channel_labels", to_list(key.child_channels)},
        {"entitlements", to_list(key.entitlements)},
        {"server_group_ids", std::move(group_numbers)},
        {"package_names", std::move(names)},
        {"packages", std::move(packages)},
        {"universal_default", key.universal_default},
        {"disabled", key.disabled},
        {"app_streams", value::list()},  // no module streams are known
        {"contact_method", contact.empty() ? std::string(default_contact_method) : contact}};
}

shape package_list() {
    return list_of(struct_shape(), packages_max);
}

result<std::vector<std::string>> read_packages(const call& call) {
    std::vector<std::string> result;
    for (const auto& item : *call.arguments().find("packages")->get<value::list>()) {
        const auto* name = item.find("name");
        const auto* arch = item.find("arch");
        const auto* text = name == nullptr ? nullptr : name->get<std::string>();
        if (text == nullptr || text->empty() || text->contains(' '))
            return fail(errc::invalid, "`packages`: each package requires a `name` without spaces");
        auto package = *text;
        const auto* arch_text = arch == nullptr ? nullptr : arch->get<std::string>();
        if (arch_text != nullptr && !arch_text->empty()) package += " " + *arch_text;
        result.push_back(std::move(package));
    }
    return result;
}

std::vector<std::string> add_words(
    std::vector<std::string> words, const std::vector<std::string>& added) {
    for (const auto& word : added) {
        if (std::ranges::find(words, word) == words.end()) words.push_back(word);
    }
    return words;
}

std::vector<std::string> remove_words(
    std::vector<std::string> words, const std::vector<std::string>& removed) {
    std::erase_if(words, [&](const std::string& text) {
        return std::ranges::find(removed, text) != removed.end();
    });
    return words;
}

}  // namespace muster::xmlrpc_api
