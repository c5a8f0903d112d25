#include "services/fleet/stored_rule.h"

#include "core/lifecycle/labels.h"
#include "core/table/utf8.h"
#include "runtime/json/record_reader.h"
#include "services/cluster/topology_record.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::fleet {
namespace {

namespace json = boost::json;
using runtime::json_record_reader;
using runtime::stored_list;

bool is_letter_of_name(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
           || (letter >= '0' && letter <= '9') || letter == '-' || letter == '_';
}

result<void> check_name(const std::string& name) {
    const bool well = !name.empty() && name.size() <= rule_limits::name_bytes_max
                      && std::ranges::all_of(name, is_letter_of_name);
    if (well) return {};
    return fail(errc::invalid, "a rule's `name` is 1 to 63 letters, digits, '-' and '_'");
}

result<void> check_labels(std::string_view text, const std::vector<std::string>& labels) {
    if (labels.size() > rule_limits::labels_max)
        return fail(errc::invalid, fmt::format("a key has at most 200 {}", text));
    for (const auto& label : labels) {
        const bool well = !label.empty() && label.size() <= rule_limits::label_bytes_max
                          && table::is_utf8_without_nul(label);
        if (!well) return fail(errc::invalid, fmt::format("one of the {} is no label", text));
    }
    return {};
}

result<void> check(const activation& key) {
    const bool well = !key.key.empty() && key.key.size() <= rule_limits::name_bytes_max
                      && std::ranges::all_of(key.key, [](char each) {
                             return is_letter_of_name(each) || each == '.';
                         });
    if (!well)
        return fail(
            errc::invalid, "an activation key is 1 to 63 letters, digits, '-', '_' and '.'");
    if (key.usage_limit
        && (*key.usage_limit < 1 || *key.usage_limit > rule_limits::usage_limit_max))
        return fail(
            errc::invalid, "a usage limit is from 1 to 1000; for more systems leave it unlimited");
    if (key.description.size() > rule_limits::description_bytes_max
        || !table::is_utf8_without_nul(key.description))
        return fail(errc::invalid, "a key's description has at most 1024 bytes of UTF-8");
    if (key.base_channel.size() > rule_limits::label_bytes_max)
        return fail(errc::invalid, "the base channel's label is too long");
    CHECK_OK(check_labels("child channels", key.child_channels));
    CHECK_OK(check_labels("configuration channels", key.config_channels));
    CHECK_OK(check_labels("packages", key.packages));
    return check_labels("entitlements", key.entitlements);
}

json::object encoded(const activation& key) {
    json::object result{
        {"key", key.key},
        {"description", key.description},
        {"base_channel", key.base_channel},
        {"child_channels", stored_list(key.child_channels)},
        {"config_channels", stored_list(key.config_channels)},
        {"packages", stored_list(key.packages)},
        {"entitlements", stored_list(key.entitlements)},
        {"contact_method", key.contact_method},
        {"universal_default", key.universal_default},
        {"disabled", key.disabled},
        {"deploys_files", key.deploys_files}};
    if (key.usage_limit) result["usage_limit"] = *key.usage_limit;
    return result;
}

result<std::optional<activation>> activation_in(const json_record_reader& rule) {
    const auto* const found = rule.find("as_key");
    if (found == nullptr) return std::nullopt;
    TRY(auto all, json_record_reader::of_value("activation key", *found));
    activation read{
        .key = all.text("key"),
        .description = all.text("description"),
        .base_channel = all.text("base_channel"),
        .child_channels = all.list("child_channels"),
        .config_channels = all.list("config_channels"),
        .packages = all.list("packages"),
        .entitlements = all.list("entitlements"),
        .contact_method = all.text("contact_method"),
        .universal_default = all.boolean("universal_default"),
        .disabled = all.boolean("disabled"),
        .deploys_files = all.boolean("deploys_files")};
    if (all.has("usage_limit")) read.usage_limit = all.integer("usage_limit");
    TRY(read, all.finish(std::move(read)));
    return read;
}

}  // namespace

result<lifecycle::accept_rule> compiled(const stored_rule& rule) {
    CHECK_OK(check_name(rule.name));
    CHECK_OK(cluster::check_zone_name(rule.zone));
    CHECK_OK(lifecycle::check_labels("tag", rule.tags));
    CHECK_OK(lifecycle::check_labels("group", rule.groups));
    if (rule.networks.size() > rule_limits::patterns_max
        || rule.names.size() > rule_limits::patterns_max)
        return fail(errc::invalid, "a rule has at most 100 networks and 100 names");
    if (rule.as_key) {
        CHECK_OK(check(*rule.as_key));
    }
    lifecycle::accept_rule accept_rule{
        .name = rule.name,
        .priority = rule.priority,
        .key_digest = rule.key_digest,
        .networks = {},
        .name_patterns = rule.names,
        .zone = rule.zone,
        .tags = rule.tags,
        .groups = rule.groups};
    for (const auto& network : rule.networks) {
        TRY(const auto parsed, lifecycle::network::parse(network));
        accept_rule.networks.push_back(parsed);
    }
    if (!lifecycle::asks_for_something(accept_rule))
        return fail(
            errc::invalid,
            "a rule asks for `activation_key`, `networks` or `names`; to take everybody in, say "
            "names: [\"*\"]");
    return accept_rule;
}

std::string encode(const stored_rule& stored_rule) {
    json::object result{
        {"name", stored_rule.name},
        {"priority", stored_rule.priority},
        {"key_digest", stored_rule.key_digest},
        {"networks", stored_list(stored_rule.networks)},
        {"names", stored_list(stored_rule.names)},
        {"zone", stored_rule.zone},
        {"tags", stored_list(stored_rule.tags)},
        {"groups", stored_list(stored_rule.groups)},
        {"made_by", stored_rule.made_by},
        {"made", runtime::stored_time(stored_rule.made)}};
    if (stored_rule.as_key) result["as_key"] = encoded(*stored_rule.as_key);
    return json::serialize(result);
}

std::string encode(const stored_token& stored_token) {
    return json::serialize(json::object{
        {"zone", stored_token.zone},
        {"tags", stored_list(stored_token.tags)},
        {"groups", stored_list(stored_token.groups)},
        {"made_by", stored_token.made_by},
        {"used_by", stored_token.used_by}});
}

std::string old_name_of_key_rule(std::string_view digest) {
    constexpr std::size_t digits = 24;
    return "key-" + std::string(digest.substr(0, digits));
}

stored_rule without_key(stored_rule rule) {
    rule.key_digest.clear();
    if (rule.as_key) rule.as_key->key.clear();
    return rule;
}

std::string encode(const stored_uses& stored_uses) {
    return json::serialize(json::object{{"by", stored_list(stored_uses.by)}});
}

result<stored_uses> decode_uses(std::string_view text) {
    TRY(auto all, json_record_reader::of("uses of a rule", text));
    stored_uses read{.by = all.list("by")};
    return all.finish(std::move(read));
}

result<stored_rule> decode_rule(std::string_view text) {
    TRY(auto all, json_record_reader::of("accept rule", text));
    stored_rule read{
        .name = all.text("name"),
        .priority = all.integer("priority"),
        .key_digest = all.text("key_digest"),
        .networks = all.list("networks"),
        .names = all.list("names"),
        .zone = all.text("zone"),
        .tags = all.list("tags"),
        .groups = all.list("groups"),
        .made_by = all.text("made_by"),
        .made = all.time("made")};
    TRY(read.as_key, activation_in(all));
    return all.finish(std::move(read));
}

result<stored_token> decode_token(std::string_view text) {
    TRY(auto all, json_record_reader::of("enrolment token", text));
    stored_token read{
        .zone = all.text("zone"),
        .tags = all.list("tags"),
        .groups = all.list("groups"),
        .made_by = all.text("made_by"),
        .used_by = all.text("used_by")};
    return all.finish(std::move(read));
}

}  // namespace muster::fleet
