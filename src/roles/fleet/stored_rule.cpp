#include "roles/fleet/stored_rule.h"

#include "core/lifecycle/words.h"
#include "roles/cluster/json_members.h"
#include "roles/cluster/topology_record.h"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace muster::fleet {
namespace {

namespace json = boost::json;
using cluster::json_members;
using cluster::stored_list;

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

}  // namespace

result<lifecycle::accept_rule> compiled(const stored_rule& rule) {
    CHECK_OK(check_name(rule.name));
    CHECK_OK(cluster::check_zone_name(rule.zone));
    CHECK_OK(lifecycle::check_words("tag", rule.tags));
    CHECK_OK(lifecycle::check_words("group", rule.groups));
    if (rule.networks.size() > rule_limits::patterns_max
        || rule.names.size() > rule_limits::patterns_max)
        return fail(errc::invalid, "a rule has at most 100 networks and 100 names");
    lifecycle::accept_rule made{
        .name = rule.name,
        .priority = rule.priority,
        .key_digest = rule.key_digest,
        .networks = {},
        .name_patterns = rule.names,
        .zone = rule.zone,
        .tags = rule.tags,
        .groups = rule.groups};
    for (const auto& each : rule.networks) {
        TRY(const auto parsed, lifecycle::network::parse(each));
        made.networks.push_back(parsed);
    }
    if (!lifecycle::asks_for_something(made))
        return fail(
            errc::invalid,
            "a rule asks for `activation_key`, `networks` or `names`; to take everybody in, say "
            "names: [\"*\"]");
    return made;
}

std::string encode(const stored_rule& what) {
    return json::serialize(json::object{
        {"name", what.name},
        {"priority", what.priority},
        {"key_digest", what.key_digest},
        {"networks", stored_list(what.networks)},
        {"names", stored_list(what.names)},
        {"zone", what.zone},
        {"tags", stored_list(what.tags)},
        {"groups", stored_list(what.groups)},
        {"made_by", what.made_by},
        {"made", cluster::stored_time(what.made)}});
}

std::string encode(const stored_token& what) {
    return json::serialize(json::object{
        {"zone", what.zone},
        {"tags", stored_list(what.tags)},
        {"groups", stored_list(what.groups)},
        {"made_by", what.made_by},
        {"used_by", what.used_by}});
}

result<stored_rule> decode_rule(std::string_view text) {
    TRY(auto all, json_members::of("accept rule", text));
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
    return all.finish(std::move(read));
}

result<stored_token> decode_token(std::string_view text) {
    TRY(auto all, json_members::of("enrolment token", text));
    stored_token read{
        .zone = all.text("zone"),
        .tags = all.list("tags"),
        .groups = all.list("groups"),
        .made_by = all.text("made_by"),
        .used_by = all.text("used_by")};
    return all.finish(std::move(read));
}

}  // namespace muster::fleet
