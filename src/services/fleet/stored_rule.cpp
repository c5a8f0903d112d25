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

bool is_name_character(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
           || (letter >= '0' && letter <= '9') || letter == '-' || letter == '_';
}

result<void> check_name(const std::string& name) {
    const bool valid = !name.empty() && name.size() <= rule_limits::name_bytes_max
                       && std::ranges::all_of(name, is_name_character);
    if (valid) return {};
    return fail(errc::invalid, "accept rule `name` must be 1 to 63 letters, digits, '-' and '_'");
}

result<void> check_labels(std::string_view kind, const std::vector<std::string>& labels) {
    if (labels.size() > rule_limits::labels_max)
        return fail(errc::invalid, fmt::format("activation key has more than 200 {}", kind));
    for (const auto& label : labels) {
        const bool valid = !label.empty() && label.size() <= rule_limits::label_bytes_max
                           && table::is_utf8_without_nul(label);
        if (!valid)
            return fail(
                errc::invalid, fmt::format("activation key has an invalid label in its {}", kind));
    }
    return {};
}

result<void> check(const activation& key) {
    const bool valid = !key.key.empty() && key.key.size() <= rule_limits::name_bytes_max
                       && std::ranges::all_of(key.key, [](char letter) {
                              return is_name_character(letter) || letter == '.';
                          });
    if (!valid)
        return fail(
            errc::invalid, "activation key must be 1 to 63 letters, digits, '-', '_' and '.'");
    if (key.usage_limit
        && (*key.usage_limit < 1 || *key.usage_limit > rule_limits::usage_limit_max))
        return fail(
            errc::invalid,
            "usage limit of an activation key must be 1 to 1000; omit it for more systems");
    if (key.description.size() > rule_limits::description_bytes_max
        || !table::is_utf8_without_nul(key.description))
        return fail(
            errc::invalid, "activation key description must be at most 1024 bytes of UTF-8");
    if (key.base_channel.size() > rule_limits::label_bytes_max)
        return fail(errc::invalid, "base channel label is too long");
    CHECK_OK(check_labels("child channels", key.child_channels));
    CHECK_OK(check_labels("configuration channels", key.config_channels));
    CHECK_OK(check_labels("packages", key.packages));
    return check_labels("entitlements", key.entitlements);
}

json::object to_json(const activation& key) {
    json::object object{
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
    if (key.usage_limit) object["usage_limit"] = *key.usage_limit;
    return object;
}

result<std::optional<fleet::activation>> read_activation(const json_record_reader& rule) {
    const auto* const stored_key = rule.find("as_key");
    if (stored_key == nullptr) return std::nullopt;
    TRY(auto reader, json_record_reader::from_value("activation key", *stored_key));
    fleet::activation activation{
        .key = reader.text("key"),
        .description = reader.text("description"),
        .base_channel = reader.text("base_channel"),
        .child_channels = reader.list("child_channels"),
        .config_channels = reader.list("config_channels"),
        .packages = reader.list("packages"),
        .entitlements = reader.list("entitlements"),
        .contact_method = reader.text("contact_method"),
        .universal_default = reader.boolean("universal_default"),
        .disabled = reader.boolean("disabled"),
        .deploys_files = reader.boolean("deploys_files")};
    if (reader.has("usage_limit")) activation.usage_limit = reader.integer("usage_limit");
    TRY(activation, reader.finish(std::move(activation)));
    return activation;
}

}  // namespace

result<lifecycle::accept_rule> compile(const stored_rule& rule) {
    CHECK_OK(check_name(rule.name));
    CHECK_OK(cluster::check_zone_name(rule.zone));
    CHECK_OK(lifecycle::check_labels("tag", rule.tags));
    CHECK_OK(lifecycle::check_labels("group", rule.groups));
    if (rule.networks.size() > rule_limits::patterns_max
        || rule.names.size() > rule_limits::patterns_max)
        return fail(errc::invalid, "accept rule has more than 100 networks or 100 names");
    if (rule.as_key) {
        CHECK_OK(check(*rule.as_key));
    }
    lifecycle::accept_rule compiled{
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
        compiled.networks.push_back(parsed);
    }
    if (!lifecycle::has_condition(compiled))
        return fail(
            errc::invalid,
            "accept rule needs `activation_key`, `networks` or `names`; to accept all systems, use "
            "names: [\"*\"]");
    return compiled;
}

std::string encode(const stored_rule& rule) {
    json::object record{
        {"name", rule.name},
        {"priority", rule.priority},
        {"key_digest", rule.key_digest},
        {"networks", stored_list(rule.networks)},
        {"names", stored_list(rule.names)},
        {"zone", rule.zone},
        {"tags", stored_list(rule.tags)},
        {"groups", stored_list(rule.groups)},
        {"made_by", rule.made_by},
        {"made", runtime::stored_time(rule.made)}};
    if (rule.as_key) record["as_key"] = to_json(*rule.as_key);
    return json::serialize(record);
}

std::string encode(const stored_token& token) {
    return json::serialize(json::object{
        {"zone", token.zone},
        {"tags", stored_list(token.tags)},
        {"groups", stored_list(token.groups)},
        {"made_by", token.made_by},
        {"used_by", token.used_by}});
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

std::string encode(const stored_uses& uses) {
    return json::serialize(json::object{{"by", stored_list(uses.systems)}});
}

result<stored_uses> decode_uses(std::string_view text) {
    TRY(auto reader, json_record_reader::parse("accept rule uses", text));
    stored_uses uses{.systems = reader.list("by")};
    return reader.finish(std::move(uses));
}

result<stored_rule> decode_rule(std::string_view text) {
    TRY(auto reader, json_record_reader::parse("accept rule", text));
    stored_rule rule{
        .name = reader.text("name"),
        .priority = reader.integer("priority"),
        .key_digest = reader.text("key_digest"),
        .networks = reader.list("networks"),
        .names = reader.list("names"),
        .zone = reader.text("zone"),
        .tags = reader.list("tags"),
        .groups = reader.list("groups"),
        .made_by = reader.text("made_by"),
        .made = reader.time("made")};
    TRY(rule.as_key, read_activation(reader));
    return reader.finish(std::move(rule));
}

result<stored_token> decode_token(std::string_view text) {
    TRY(auto reader, json_record_reader::parse("enrolment token", text));
    stored_token token{
        .zone = reader.text("zone"),
        .tags = reader.list("tags"),
        .groups = reader.list("groups"),
        .made_by = reader.text("made_by"),
        .used_by = reader.text("used_by")};
    return reader.finish(std::move(token));
}

}  // namespace muster::fleet
