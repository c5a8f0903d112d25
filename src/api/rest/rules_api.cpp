#include "api/rest/rules_api.h"

#include "adapters/os/random.h"
#include "api/agent/enrol_request.h"
#include "base/hex.h"
#include "base/iso_time.h"
#include "core/lifecycle/labels.h"
#include "ports/deadline.h"
#include "runtime/json/record_reader.h"
#include "services/cluster/topology_record.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;
using namespace api;
using access::right;

constexpr const char* collection_path = "/api/v1/accept-rules";
constexpr std::size_t token_bytes = 24;
constexpr std::int64_t token_seconds_default = 3'600;
constexpr std::int64_t token_seconds_max = std::int64_t{30} * 24 * 3'600;
constexpr std::int64_t names_max = 1'000;

shape name_list() {
    return list_of(name(), names_max);
}

shape rule_shape() {
    return record_of(
        {required("name", name()),
         required("priority", integer(std::numeric_limits<std::int64_t>::min())),
         required(
             "activation_key", flag().with_about("true if the rule requires an activation key")),
         required("networks", name_list()),
         required("names", name_list()),
         required("zone", name()),
         required("tags", name_list()),
         required("groups", name_list()),
         required("made_by", text()),
         required("made", api::time())});
}

json::object rule_json(const fleet::stored_rule& rule) {
    return {
        {"name", rule.name},
        {"priority", rule.priority},
        {"activation_key", !rule.key_digest.empty()},
        {"networks", runtime::stored_list(rule.networks)},
        {"names", runtime::stored_list(rule.names)},
        {"zone", rule.zone},
        {"tags", runtime::stored_list(rule.tags)},
        {"groups", runtime::stored_list(rule.groups)},
        {"made_by", rule.made_by},
        {"made", iso_time(rule.made)}};
}

// Old rules were named after their activation key. Only callers who may know the key see that name.
json::object visible_rule_json(const call& call, const fleet::stored_rule& rule) {
    auto output = rule_json(rule);
    const bool reveals_key =
        rule.as_key && rule.name == fleet::old_name_of_key_rule(rule.key_digest);
    if (reveals_key && call.zones_with(right::keys_decide)) output["name"] = "activation-key";
    return output;
}

std::vector<std::string> read_names(const call& call, const char* name) {
    return call.optional_texts(name).value_or(std::vector<std::string>());
}

std::string read_zone(const call& call) {
    return call.optional_text("zone").value_or(std::string(cluster::default_zone));
}

result<void> check_zone(const call& call, const std::string& zone) {
    if (!call.context().topology.read()->zones.contains(zone))
        return fail(errc::invalid, fmt::format("zone \"{}\" not found", zone));
    if (!call.may_in(zone))
        return fail(
            errc::denied,
            fmt::format(
                "{} needs the right {} in zone \"{}\"",
                call.operation().name,
                to_string(call.operation().needed),
                zone));
    return {};
}

fleet::stored_rule read_rule(const call& call) {
    fleet::stored_rule rule{.name = call.text("name")};
    rule.priority = call.optional_integer("priority").value_or(rule.priority);
    const auto key = call.optional_text("activation_key");
    if (key && !key->empty()) rule.key_digest = secret_digest(*key);
    rule.networks = read_names(call, "networks");
    rule.names = read_names(call, "names");
    rule.zone = read_zone(call);
    rule.tags = read_names(call, "tags");
    rule.groups = read_names(call, "groups");
    rule.made_by = call.caller().user;
    return rule;
}

}  // namespace

result<void> rules_api::declare(registry& operations) {
    CHECK_OK(operations.add(
        {.name = "accept-rules.list",
         .summary = "List accept rules",
         .path = collection_path,
         .gives = page_of(rule_shape()),
         .needed = right::fleet_read,
         .within = scope::filtered},
        handler(this, &rules_api::list)));
    CHECK_OK(operations.add(
        {.name = "accept-rules.create",
         .summary = "Create an accept rule",
         .method = verb::post,
         .path = collection_path,
         .takes =
             {in_body("name", name()),
              optional_in_body("priority", integer(std::numeric_limits<std::int64_t>::min())),
              secret_in_body(
                  "activation_key", text().with_about("activation key that a system must present")),
              optional_in_body(
                  "networks", name_list().with_about("networks, such as 192.0.2.0/24")),
              optional_in_body("names", name_list().with_about("name patterns, such as web*")),
              optional_in_body(
                  "zone", name().with_about("zone of accepted systems (default \"default\")")),
              optional_in_body("tags", name_list()),
              optional_in_body("groups", name_list())},
         .gives = rule_shape(),
         .status = 201,
         .needed = right::keys_decide},
        handler(this, &rules_api::add)));
    CHECK_OK(operations.add(
        {.name = "accept-rules.remove",
         .summary = "Delete an accept rule and keep its accepted systems",
         .method = verb::remove,
         .path = "/api/v1/accept-rules/{name}",
         .takes = {in_path("name", name())},
         .gives = record_of({required("removed", name())}),
         .needed = right::keys_decide},
        handler(this, &rules_api::remove)));
    return operations.add(
        {.name = "enrolment-tokens.create",
         .summary = "Create a one-time enrolment token",
         .method = verb::post,
         .path = "/api/v1/enrolment-tokens",
         .takes =
             {optional_in_body("zone", name()),
              optional_in_body("tags", name_list()),
              optional_in_body("groups", name_list()),
              optional_in_body(
                  "ttl",
                  integer(1, token_seconds_max).with_about("lifetime in seconds (default 3600)"))},
         .gives = record_of(
             {required("token", text()),
              required("zone", name()),
              required("expires", api::time())}),
         .status = 201,
         .needed = right::keys_decide,
         .within = scope::filtered,
         .gives_secret = true},
        handler(this, &rules_api::add_token));
}

async<reply> rules_api::list(call call) {
    const auto rules = rules_.current();
    json::array items;
    for (const auto& rule : *rules)
        if (call.may_in(rule.stored.zone)) items.push_back(visible_rule_json(call, rule.stored));
    co_return reply{json::object{{"items", std::move(items)}, {"next", nullptr}}};
}

async<reply> rules_api::add(call call) {
    auto rule = read_rule(call);
    CO_CHECK_OK(check_zone(call, rule.zone));
    rule.made = clock_.wall();
    auto output = rule_json(rule);
    CO_CHECK_OK(co_await within(clock_, engine_timeout, rules_.add(std::move(rule))));
    co_return reply{std::move(output)};
}

async<reply> rules_api::remove(call call) {
    const auto& name = call.text("name");
    CO_CHECK_OK(co_await within(clock_, engine_timeout, rules_.remove(name)));
    co_return reply{json::object{{"removed", name}}};
}

async<reply> rules_api::add_token(call call) {
    fleet::stored_token token_record{.made_by = call.caller().user};
    token_record.zone = read_zone(call);
    token_record.tags = read_names(call, "tags");
    token_record.groups = read_names(call, "groups");
    CO_CHECK_OK(check_zone(call, token_record.zone));
    CO_CHECK_OK(lifecycle::check_labels("tag", token_record.tags));
    CO_CHECK_OK(lifecycle::check_labels("group", token_record.groups));
    if (label_policy_ != nullptr) {
        auto pending_check = label_policy_->check(call, token_record.groups);
        CO_CHECK_OK(co_await within(clock_, engine_timeout, std::move(pending_check)));
    }
    const std::chrono::seconds ttl(call.optional_integer("ttl").value_or(token_seconds_default));
    const auto token = to_hex(os::random_bytes(token_bytes));
    const auto zone = token_record.zone;
    call.set_subject("zone " + zone);
    CO_CHECK_OK(co_await within(
        clock_,
        engine_timeout,
        rules_.add_token(secret_digest(token), std::move(token_record), ttl)));
    co_return reply{
        json::object{{"token", token}, {"zone", zone}, {"expires", iso_time(clock_.wall() + ttl)}}};
}

}  // namespace muster::api
