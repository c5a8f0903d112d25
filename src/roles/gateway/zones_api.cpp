#include "roles/gateway/zones_api.h"

#include "ports/deadline.h"
#include "roles/gateway/json_body.h"
#include "roles/gateway/topology_json.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <utility>

namespace muster::gateway {
namespace {

namespace http = net::http;
namespace json = boost::json;

constexpr std::size_t body_bytes_max = 8192;

http::response told(unsigned status, const json::value& what) {
    return no_store(http::json(status, json::serialize(what)));
}

result<cluster::zones::wanted> read_wanted(json_body& body) {
    cluster::zones::wanted how;
    TRY(how.description, body.optional_text("description"));
    TRY(how.parent, body.optional_text("parent"));
    TRY(const auto seconds, body.optional_integer("disaster_timeout"));
    if (seconds) how.disaster_timeout = std::chrono::seconds(*seconds);
    CHECK_OK(body.finish());
    return how;
}

template <class T>
result<void> outcome_of(const result<T>& done) {
    if (done) return {};
    return fail(done.error());
}

}  // namespace

http::handler zones_api::calling(answer (zones_api::*method)(http::request)) {
    return [this, method](http::request asked) {
        return (this->*method)(std::move(asked));
    };
}

result<void> zones_api::add_routes(http::router& routes) {
    const auto with_body = [this](auto method) {
        return http::route{.handle = calling(method), .body_bytes_max = body_bytes_max};
    };
    const std::string all = "/api/v1/zones";
    const std::string one = "/api/v1/zones/{name}";
    CHECK_OK(routes.add("GET", all, {calling(&zones_api::list)}));
    CHECK_OK(routes.add("POST", all, with_body(&zones_api::add)));
    CHECK_OK(routes.add("GET", one, {calling(&zones_api::show)}));
    CHECK_OK(routes.add("PATCH", one, with_body(&zones_api::change)));
    CHECK_OK(routes.add("DELETE", one, with_body(&zones_api::remove)));
    CHECK_OK(routes.add("GET", one + "/stats", {calling(&zones_api::stats)}));
    return {};
}

async<void> zones_api::recorded(
    visitor who, std::string what, std::string zone, result<void> outcome) {
    deed done{
        .who = who.user,
        .what = std::move(what),
        .origin = who.origin,
        .outcome = outcome ? "done" : "refused",
        .detail = outcome ? zone : zone + ": " + outcome.error().detail()};
    const auto written =
        co_await within(time_, engine_patience, who.desk->audit.record(std::move(done)));
    if (!outcome) co_return outcome;
    co_return written;
}

zones_api::answer zones_api::list(http::request asked) {
    const auto visitor = co_await desk_.admit(asked);
    if (!visitor) co_return refused(visitor.error());
    const auto known = visitor->desk->topology.read();
    json::array items;
    for (const auto& [name, zone] : known->zones) items.push_back(zone_json(*known, zone));
    co_return told(200, json::object{{"items", std::move(items)}, {"next", nullptr}});
}

zones_api::answer zones_api::show(http::request asked) {
    const auto visitor = co_await desk_.admit(asked);
    if (!visitor) co_return refused(visitor.error());
    const auto known = visitor->desk->topology.read();
    const auto& name = asked.captured("name");
    const auto found = known->zones.find(name);
    if (found == known->zones.end())
        co_return fail(errc::not_found, fmt::format("Zone {} was not found", name));
    co_return told(200, zone_json(*known, found->second));
}

zones_api::answer zones_api::stats(http::request asked) {
    const auto visitor = co_await desk_.admit(asked);
    if (!visitor) co_return refused(visitor.error());
    const auto known = visitor->desk->topology.read();
    const std::string name = asked.captured("name");
    if (!known->zones.contains(name))
        co_return fail(errc::not_found, fmt::format("Zone {} was not found", name));
    std::map<std::string, std::int64_t> by_state;
    std::int64_t nodes = 0;
    for (const auto& [node_name, node] : known->nodes) {
        if (node.zone != name) continue;
        ++nodes;
        ++by_state[std::string(membership::to_string(node.state))];
    }
    json::object states;
    for (const auto& [state, count] : by_state) states.emplace(state, count);
    json::object systems;
    for (const auto& [state, count] : given_.systems(name)) systems.emplace(state, count);
    std::int64_t placed = 0;
    const auto table = known->slots.find(name);
    for (std::size_t number = 0; table != known->slots.end() && number < slot::count; ++number)
        if (table->second->at(slot(number)).owner) ++placed;
    co_return told(
        200,
        json::object{
            {"name", name},
            {"nodes", nodes},
            {"nodes_by_state", std::move(states)},
            {"systems_by_state", std::move(systems)},
            {"slots", static_cast<std::int64_t>(slot::count)},
            {"slots_placed", placed}});
}

zones_api::answer zones_api::add(http::request asked) {
    const auto visitor = co_await desk_.admit(asked);
    if (!visitor) co_return refused(visitor.error());
    CO_TRY(const auto text, co_await asked.body());
    CO_TRY(auto body, json_body::parse(text));
    CO_TRY(const auto name, body.text("name"));
    CO_TRY(auto how, read_wanted(body));
    cluster::zones office(visitor->desk->engines.metadata, time_);
    const auto made = co_await within(time_, engine_patience, office.add(name, std::move(how)));
    const auto done = co_await recorded(*visitor, "zone.add", name, outcome_of(made));
    if (!done) co_return refused(done.error());
    co_return told(201, zone_json(*visitor->desk->topology.read(), *made));
}

zones_api::answer zones_api::change(http::request asked) {
    const auto visitor = co_await desk_.admit(asked);
    if (!visitor) co_return refused(visitor.error());
    CO_TRY(const auto text, co_await asked.body());
    CO_TRY(auto body, json_body::parse(text));
    CO_TRY(auto how, read_wanted(body));
    const std::string name = asked.captured("name");
    cluster::zones office(visitor->desk->engines.metadata, time_);
    const auto made = co_await within(time_, engine_patience, office.change(name, std::move(how)));
    const auto done = co_await recorded(*visitor, "zone.change", name, outcome_of(made));
    if (!done) co_return refused(done.error());
    co_return told(200, zone_json(*visitor->desk->topology.read(), *made));
}

zones_api::answer zones_api::remove(http::request asked) {
    const auto visitor = co_await desk_.admit(asked);
    if (!visitor) co_return refused(visitor.error());
    const std::string name = asked.captured("name");
    cluster::zones office(visitor->desk->engines.metadata, time_);
    const auto gone =
        co_await within(time_, engine_patience, office.remove(name, given_.accepted(name)));
    const auto done = co_await recorded(*visitor, "zone.remove", name, gone);
    if (!done) co_return refused(done.error());
    co_return told(200, json::object{{"name", name}, {"removed", true}});
}

}  // namespace muster::gateway
