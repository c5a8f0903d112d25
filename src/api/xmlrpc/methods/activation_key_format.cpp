#include "api/xmlrpc/methods/activation_key_format.h"

#include "api/xmlrpc/methods/entitlements.h"

#include <algorithm>
#include <utility>

namespace muster::xmlrpc_api {

using namespace api;

namespace {

constexpr std::int64_t packages_max = 200;

value::list told_words(const std::vector<std::string>& words) {
    value::list list;
    for (const auto& word : words) list.emplace_back(word);
    return list;
}

}  // namespace

shape activation_shape() {
    return map_of(anything());
}

value told_activation(const fleet::stored_rule& rule, value::list group_numbers) {
    const auto& key = *rule.as_key;
    value::list names;
    value::list packages;
    for (const auto& each : key.packages) {
        const auto blank = each.find(' ');
        names.emplace_back(each.substr(0, blank));
        value::record record{{"name", each.substr(0, blank)}};
        if (blank != std::string::npos) record.push_back({"arch", each.substr(blank + 1)});
        packages.emplace_back(std::move(record));
    }
    const auto& contact = key.contact_method;
    return value::record{
        {"key", key.key},
        {"description", key.description},
        {"usage_limit", key.usage_limit.value_or(0)},
        {"base_channel_label", key.base_channel.empty() ? "none" : key.base_channel},
        {"child_channel_labels", told_words(key.child_channels)},
        {"entitlements", told_words(key.entitlements)},
        {"server_group_ids", std::move(group_numbers)},
        {"package_names", std::move(names)},
        {"packages", std::move(packages)},
        {"universal_default", key.universal_default},
        {"disabled", key.disabled},
        {"app_streams", value::list()},  // no module streams are known
        {"contact_method", contact.empty() ? std::string(usual_contact_method) : contact}};
}

shape package_list() {
    return list_of(some_struct(), packages_max);
}

result<std::vector<std::string>> packages_in(const call& call) {
    std::vector<std::string> result;
    for (const auto& each : *call.arguments().find("packages")->get<value::list>()) {
        const auto* name = each.find("name");
        const auto* arch = each.find("arch");
        const auto* text = name == nullptr ? nullptr : name->get<std::string>();
        if (text == nullptr || text->empty() || text->contains(' '))
            return fail(errc::invalid, "`packages`: each needs a `name` without blanks");
        auto one = *text;
        const auto* kind = arch == nullptr ? nullptr : arch->get<std::string>();
        if (kind != nullptr && !kind->empty()) one += " " + *kind;
        result.push_back(std::move(one));
    }
    return result;
}

std::vector<std::string> with_words(
    std::vector<std::string> now, const std::vector<std::string>& some) {
    for (const auto& each : some) {
        if (std::ranges::find(now, each) == now.end()) now.push_back(each);
    }
    return now;
}

std::vector<std::string> without_words(
    std::vector<std::string> now, const std::vector<std::string>& some) {
    std::erase_if(
        now, [&](const std::string& each) { return std::ranges::find(some, each) != some.end(); });
    return now;
}

}  // namespace muster::xmlrpc_api
