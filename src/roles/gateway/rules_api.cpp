#include "roles/gateway/rules_api.h"

#include "adapters/os/random.h"
#include "base/hex.h"
#include "core/lifecycle/words.h"
#include "ports/deadline.h"
#include "roles/cluster/json_members.h"
#include "roles/cluster/topology_record.h"
#include "roles/gateway/enrol_request.h"
#include "roles/gateway/json_body.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <utility>

namespace muster::gateway {
namespace {

namespace http = net::http;
namespace json = boost::json;

constexpr std::size_t body_bytes_max = 64 * std::size_t{1024};
constexpr std::size_t token_bytes = 24;
constexpr std::int64_t token_seconds_usual = 3'600;
constexpr std::int64_t token_seconds_max = 30 * 24 * 3'600;

http::response told(unsigned status, const json::value& what) {
    return no_store(http::json(status, json::serialize(what)));
}

json::object rule_json(const fleet::stored_rule& rule) {
    return {
        {"name", rule.name},
        {"priority", rule.priority},
        {"activation_key", !rule.key_digest.empty()},
        {"networks", cluster::stored_list(rule.networks)},
        {"names", cluster::stored_list(rule.names)},
        {"zone", rule.zone},
        {"tags", cluster::stored_list(rule.tags)},
        {"groups", cluster::stored_list(rule.groups)},
        {"made_by", rule.made_by},
        {"made", cluster::iso_time(rule.made)}};
}

result<std::vector<std::string>> list_of(json_body& body, const char* name) {
    TRY(auto items, body.optional_list(name));
    return items ? *std::move(items) : std::vector<std::string>();
}

result<fleet::stored_rule> read_rule(json_body& body) {
    fleet::stored_rule rule;
    TRY(rule.name, body.text("name"));
    TRY(const auto priority, body.optional_integer("priority"));
    rule.priority = priority.value_or(rule.priority);
    TRY(const auto key, body.optional_text("activation_key"));
    if (key && !key->empty()) rule.key_digest = secret_digest(*key);
    TRY(rule.networks, list_of(body, "networks"));
    TRY(rule.names, list_of(body, "names"));
    TRY(const auto zone, body.optional_text("zone"));
    rule.zone = zone.value_or(std::string(cluster::default_zone));
    TRY(rule.tags, list_of(body, "tags"));
    TRY(rule.groups, list_of(body, "groups"));
    CHECK_OK(body.finish());
    return rule;
}

template <class T>
result<void> outcome_of(const result<T>& done) {
    if (done) return {};
    return fail(done.error());
}

}  // namespace

rules_api::answer rules_api::settled(answer work) {
    auto done = co_await std::move(work);
    if (!done) co_return refused(done.error());
    co_return done;
}

http::handler rules_api::calling(answer (rules_api::*method)(http::request)) {
    return [this, method](http::request asked) {
        return settled((this->*method)(std::move(asked)));
    };
}

result<void> rules_api::add_routes(http::router& routes) {
    const auto with_body = [this](auto method) {
        return http::route{.handle = calling(method), .body_bytes_max = body_bytes_max};
    };
    const std::string all = "/api/v1/accept-rules";
    CHECK_OK(routes.add("GET", all, {calling(&rules_api::list)}));
    CHECK_OK(routes.add("POST", all, with_body(&rules_api::add)));
    CHECK_OK(routes.add("DELETE", all + "/{name}", with_body(&rules_api::remove)));
    return routes.add("POST", "/api/v1/enrolment-tokens", with_body(&rules_api::add_token));
}

result<void> rules_api::check_zone(const std::string& zone) const {
    if (places_.read()->zones.contains(zone)) return {};
    return fail(errc::invalid, fmt::format("Zone {} was not found", zone));
}

async<void> rules_api::recorded(
    visitor who, std::string what, std::string detail, result<void> outcome) {
    deed done{
        .who = who.user,
        .what = std::move(what),
        .origin = who.origin,
        .outcome = outcome ? "done" : "refused",
        .detail = outcome ? detail : detail + ": " + outcome.error().detail()};
    const auto written =
        co_await within(time_, engine_patience, who.desk->audit.record(std::move(done)));
    if (!outcome) co_return outcome;
    co_return written;
}

rules_api::answer rules_api::list(http::request asked) {
    CO_CHECK_OK(co_await desk_.admit(asked));
    const auto now = rules_.current();
    json::array items;
    for (const auto& each : *now) items.push_back(rule_json(each.stored));
    co_return told(200, json::object{{"items", std::move(items)}, {"next", nullptr}});
}

rules_api::answer rules_api::add(http::request asked) {
    CO_TRY(auto who, co_await desk_.admit(asked));
    CO_TRY(const auto text, co_await asked.body());
    CO_TRY(auto body, json_body::parse(text));
    CO_TRY(auto rule, read_rule(body));
    CO_CHECK_OK(check_zone(rule.zone));
    rule.made_by = who.user;
    rule.made = time_.wall();
    const auto name = rule.name;
    const auto shown = rule_json(rule);
    const auto added = co_await within(time_, engine_patience, rules_.add(std::move(rule)));
    CO_CHECK_OK(co_await recorded(std::move(who), "rule.add", name, outcome_of(added)));
    co_return told(201, shown);
}

rules_api::answer rules_api::remove(http::request asked) {
    CO_TRY(auto who, co_await desk_.admit(asked));
    const std::string name = asked.captured("name");
    const auto removed = co_await within(time_, engine_patience, rules_.remove(name));
    CO_CHECK_OK(co_await recorded(std::move(who), "rule.remove", name, outcome_of(removed)));
    co_return told(200, json::object{{"removed", name}});
}

rules_api::answer rules_api::add_token(http::request asked) {
    CO_TRY(auto who, co_await desk_.admit(asked));
    CO_TRY(const auto text, co_await asked.body());
    CO_TRY(auto body, json_body::parse(text));
    fleet::stored_token made{.made_by = who.user};
    CO_TRY(const auto zone, body.optional_text("zone"));
    made.zone = zone.value_or(std::string(cluster::default_zone));
    CO_TRY(made.tags, list_of(body, "tags"));
    CO_TRY(made.groups, list_of(body, "groups"));
    CO_TRY(const auto seconds, body.optional_integer("ttl"));
    CO_CHECK_OK(body.finish());
    CO_CHECK_OK(check_zone(made.zone));
    CO_CHECK_OK(lifecycle::check_words("tag", made.tags));
    CO_CHECK_OK(lifecycle::check_words("group", made.groups));
    const auto ttl = seconds.value_or(token_seconds_usual);
    if (ttl < 1 || ttl > token_seconds_max)
        co_return fail(errc::invalid, "`ttl` must be from 1 second to 30 days, in seconds");
    const auto token = to_hex(os::random_bytes(token_bytes));
    const auto zone_name = made.zone;
    const auto added = co_await within(
        time_,
        engine_patience,
        rules_.add_token(secret_digest(token), std::move(made), std::chrono::seconds(ttl)));
    CO_CHECK_OK(
        co_await recorded(std::move(who), "enrolment-token.add", zone_name, outcome_of(added)));
    const auto expires = cluster::iso_time(time_.wall() + std::chrono::seconds(ttl));
    co_return told(201, json::object{{"token", token}, {"zone", zone_name}, {"expires", expires}});
}

}  // namespace muster::gateway
