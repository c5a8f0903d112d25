#include "roles/gateway/systems_api.h"

#include "ports/deadline.h"
#include "roles/fleet/selection.h"
#include "roles/gateway/page_limit.h"
#include "roles/gateway/system_json.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace muster::gateway {
namespace {

namespace http = net::http;
namespace json = boost::json;

constexpr std::size_t body_bytes_max = std::size_t{8} * 1024 * 1024;  // 100,000 fingerprints
std::set<enrolment> known_ones() {
    return {enrolment::pooled, enrolment::rejected, enrolment::accepted};
}

std::shared_ptr<const fleet::whereabouts_source> whereabouts_in(
    const presence::presence& seen, const cluster::topology_cell& places) {
    fleet::whereabouts_source source;
    source.attached = [&seen](system_number number) {
        return seen.attached(number);
    };
    source.node = [&seen, &places](system_number number) {
        const auto last = seen.find(number);
        if (!last) return std::string();
        const auto now = places.read();
        const auto* const node = now->find_node(last->node);
        return node == nullptr ? std::string() : node->name;
    };
    return std::make_shared<const fleet::whereabouts_source>(std::move(source));
}

result<std::optional<fingerprint>> cursor_of(const http::request& asked) {
    const auto text = asked.query("after");
    if (!text || text->empty()) return std::optional<fingerprint>();
    const auto print = fingerprint::parse(*text);
    if (!print) return fail(errc::invalid, "`after` must be the `next` of the page before");
    return std::optional(*print);
}

bool may_be_name(std::string_view text) {
    return !text.empty() && text.find_first_of(" *?[]()\"'\\:") == std::string_view::npos;
}

}  // namespace

systems_api::systems_api(surroundings around)
    : around_(around),
      bulk_(
          {.known = around.known,
           .running = around.running,
           .time = around.time,
           .found = around.found,
           .groups = around.groups,
           .where = whereabouts_in(around.seen, around.places)}) {}

systems_api::answer systems_api::settled(answer work) {
    auto done = co_await std::move(work);
    if (!done) co_return refused(done.error());
    co_return done;
}

http::handler systems_api::reading(answer (systems_api::*method)(http::request)) {
    return [this, method](http::request asked) {
        return settled((this->*method)(std::move(asked)));
    };
}

result<void> systems_api::add_routes(http::router& routes) {
    CHECK_OK(routes.add("GET", "/api/v1/keys", {reading(&systems_api::list_keys)}));
    CHECK_OK(routes.add("GET", "/api/v1/keys/{id}", {reading(&systems_api::show)}));
    CHECK_OK(routes.add("GET", "/api/v1/systems", {reading(&systems_api::list_systems)}));
    CHECK_OK(routes.add("GET", "/api/v1/systems/count", {reading(&systems_api::count_systems)}));
    CHECK_OK(routes.add("GET", "/api/v1/systems/{id}", {reading(&systems_api::show)}));
    const std::string operation = "/api/v1/operations/{id}";
    CHECK_OK(routes.add("GET", operation, {reading(&systems_api::show_operation)}));
    CHECK_OK(routes.add("GET", operation + "/events", {reading(&systems_api::follow_operation)}));
    return add_changes(routes);
}

result<void> systems_api::add_changes(http::router& routes) {
    struct change {
        const char* method;
        const char* path;
        answer (systems_api::*handler)(http::request, named);
    };
    const std::vector<change> all{
        {"POST", "/api/v1/keys/accept", &systems_api::accept},
        {"POST", "/api/v1/keys/reject", &systems_api::reject},
        {"POST", "/api/v1/keys/delete", &systems_api::remove},
        {"POST", "/api/v1/keys/label", &systems_api::label},
        {"POST", "/api/v1/keys/{id}/accept", &systems_api::accept},
        {"POST", "/api/v1/keys/{id}/reject", &systems_api::reject},
        {"PATCH", "/api/v1/keys/{id}", &systems_api::label},
        {"DELETE", "/api/v1/keys/{id}", &systems_api::remove},
        {"POST", "/api/v1/systems/unregister", &systems_api::unregister},
        {"POST", "/api/v1/systems/move", &systems_api::move},
        {"POST", "/api/v1/systems/label", &systems_api::label},
        {"POST", "/api/v1/systems/delete", &systems_api::remove},
        {"POST", "/api/v1/systems/{id}/unregister", &systems_api::unregister},
        {"POST", "/api/v1/systems/{id}/move", &systems_api::move},
        {"POST", "/api/v1/systems/{id}/tags", &systems_api::label},
        {"PATCH", "/api/v1/systems/{id}", &systems_api::label},
        {"DELETE", "/api/v1/systems/{id}", &systems_api::remove}};
    for (const auto& each : all) {
        const bool names_one = std::string_view(each.path).contains("{id}");
        http::handler handle = [this, names_one, handler = each.handler](http::request asked) {
            auto one = names_one ? named(asked.captured("id")) : std::nullopt;
            return settled((this->*handler)(std::move(asked), std::move(one)));
        };
        CHECK_OK(routes.add(
            each.method,
            each.path,
            {.handle = std::move(handle), .body_bytes_max = body_bytes_max}));
    }
    return {};
}

json::object systems_api::told(const system_record& record, const cluster::topology& places) const {
    const auto seen = record.number ? around_.seen.find(record.number) : std::nullopt;
    return system_json(record, seen, places);
}

systems_api::answer systems_api::list(http::request asked, std::set<enrolment> stages) {
    CO_CHECK_OK(co_await around_.desk.admit(asked));
    if (!around_.known.complete())
        co_return fail(errc::unavailable, "the server is still reading the fleet");
    CO_TRY(const auto limit, page_limit_of(asked));
    CO_TRY(const auto after, cursor_of(asked));
    fleet::selection what{
        .stages = std::move(stages), .where = whereabouts_in(around_.seen, around_.places)};
    if (const auto text = asked.query("q"); text && !text->empty()) {
        CO_TRY(what.wanted, bulk_.parse(*text));
    }
    CO_TRY(
        const auto page,
        co_await fleet::select_page(
            {.known = around_.known, .found = around_.found}, std::move(what), after, limit));
    const auto places = around_.places.read();
    json::array items;
    for (const auto& each : page.systems) items.push_back(told(each, *places));
    json::object body{{"items", std::move(items)}, {"next", nullptr}};
    if (page.next) body["next"] = page.next->str();
    co_return no_store(http::json(200, json::serialize(body)));
}

systems_api::answer systems_api::list_keys(http::request asked) {
    std::set<enrolment> stages = known_ones();
    stages.insert(enrolment::deleted);
    if (const auto wanted = asked.query("state")) {
        const auto stage = parse_enrolment(*wanted);
        if (!stage || *stage == enrolment::evicted)
            co_return fail(errc::invalid, "`state` must be pooled, rejected, accepted or deleted");
        stages = {*stage};
    }
    co_return co_await list(std::move(asked), std::move(stages));
}

// A number, a fingerprint, or a name that only one system has.
async<system_record> systems_api::find(std::string one) const {
    std::optional<system_record> found;
    std::int64_t number = 0;
    const auto* const end = one.data() + one.size();
    const auto [stopped, failure] = std::from_chars(one.data(), end, number);
    if (failure == std::errc() && stopped == end) found = around_.known.find(system_number(number));
    if (const auto print = fingerprint::parse(one); !found && print)
        found = around_.known.find(*print);
    if (found) co_return *found;
    if (!may_be_name(one)) co_return fail(errc::not_found, "there is no system " + one);
    fleet::selection what{.stages = known_ones()};
    CO_TRY(what.wanted, bulk_.parse("name:" + one));
    constexpr std::size_t shown_max = 10;
    std::vector<system_record> all;
    std::optional<fingerprint> after;
    do {
        CO_TRY(
            auto page,
            co_await fleet::select_page(
                {.known = around_.known, .found = around_.found}, what, after, shown_max));
        std::ranges::move(page.systems, std::back_inserter(all));
        after = page.next;
    } while (after && all.size() < shown_max);
    if (all.empty()) co_return fail(errc::not_found, "there is no system " + one);
    if (all.size() == 1) co_return all.front();
    std::string others;
    for (const auto& each : all) others += " " + each.print.str();
    co_return fail(
        errc::conflict, "several systems are named " + one + "; say which one:" + others);
}

systems_api::answer systems_api::show(http::request asked) {
    CO_CHECK_OK(co_await around_.desk.admit(asked));
    CO_TRY(const auto record, co_await find(asked.captured("id")));
    const auto places = around_.places.read();
    co_return no_store(http::json(200, json::serialize(told(record, *places))));
}

systems_api::answer systems_api::show_operation(http::request asked) {
    CO_CHECK_OK(co_await around_.desk.admit(asked));
    co_return bulk_.show(asked.captured("id"));
}

systems_api::answer systems_api::follow_operation(http::request asked) {
    CO_CHECK_OK(co_await around_.desk.admit(asked));
    co_return bulk_.follow(asked.captured("id"));
}

}  // namespace muster::gateway
