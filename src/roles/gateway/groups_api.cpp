#include "roles/gateway/groups_api.h"

#include "ports/deadline.h"
#include "roles/gateway/json_body.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::gateway {
namespace {

namespace http = net::http;
namespace json = boost::json;
using fleet::group_book;
using fleet::saved_group;

constexpr std::size_t body_bytes_max = 64 * std::size_t{1024};

json::object group_json(const saved_group& group) {
    return {
        {"name", group.name},
        {"expression", group.definition},
        {"description", group.description},
        {"version", group.version},
        {"changed_by", group.changed_by},
        {"changed", cluster::iso_time(group.changed)},
        {"href", "/api/v1/groups/" + group.name}};
}

http::response told(unsigned status, const json::value& what) {
    return no_store(http::json(status, json::serialize(what)));
}

// An expression, or members: a list of names, as Salt's nodegroups may be written.
result<std::string> definition_in(json_body& body) {
    TRY(const auto expression, body.optional_text("expression"));
    TRY(const auto members, body.optional_list("members"));
    if (expression.has_value() == members.has_value())
        return fail(errc::invalid, "say who is meant: either `expression` or `members`");
    if (expression) return *expression;
    std::string words;
    for (const auto& each : *members) words += (words.empty() ? "" : " ") + each;
    return words;
}

}  // namespace

groups_api::answer groups_api::settled(answer work) {
    auto done = co_await std::move(work);
    if (!done) co_return refused(done.error());
    co_return done;
}

http::handler groups_api::calling(answer (groups_api::*method)(http::request)) {
    return [this, method](http::request asked) {
        return settled((this->*method)(std::move(asked)));
    };
}

result<void> groups_api::add_routes(http::router& routes) {
    const auto with_body = [this](auto method) {
        return http::route{.handle = calling(method), .body_bytes_max = body_bytes_max};
    };
    const std::string all = "/api/v1/groups";
    const std::string one = all + "/{name}";
    CHECK_OK(routes.add("GET", all, {calling(&groups_api::list)}));
    CHECK_OK(routes.add("POST", all, with_body(&groups_api::add)));
    CHECK_OK(routes.add("GET", one, {calling(&groups_api::show)}));
    CHECK_OK(routes.add("PUT", one, with_body(&groups_api::put)));
    return routes.add("DELETE", one, with_body(&groups_api::remove));
}

async<void> groups_api::recorded(
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

groups_api::answer groups_api::list(http::request asked) {
    CO_CHECK_OK(co_await desk_.admit(asked));
    const auto now = groups_.current();
    json::array items;
    for (const auto& [name, each] : *now) items.push_back(group_json(each));
    co_return told(200, json::object{{"items", std::move(items)}, {"next", nullptr}});
}

groups_api::answer groups_api::show(http::request asked) {
    CO_CHECK_OK(co_await desk_.admit(asked));
    const auto now = groups_.current();
    const auto found = now->find(asked.captured("name"));
    if (found == now->end()) co_return fail(errc::not_found, "there is no group of this name");
    co_return told(200, group_json(found->second));
}

async<groups_api::order> groups_api::read_order(
    async<visitor> admitted, async<std::string> body, std::optional<std::string> name) {
    CO_TRY(auto who, co_await std::move(admitted));
    CO_TRY(const auto text, co_await std::move(body));
    CO_TRY(auto members, json_body::parse(text));
    saved_group wanted;
    if (name) {
        wanted.name = *std::move(name);
    } else {
        CO_TRY(wanted.name, members.text("name"));
    }
    CO_TRY(wanted.definition, definition_in(members));
    CO_TRY(const auto description, members.optional_text("description"));
    wanted.description = description.value_or("");
    wanted.changed_by = who.user;
    CO_CHECK_OK(members.finish());
    co_return order{.who = std::move(who), .wanted = std::move(wanted)};
}

groups_api::answer groups_api::save(order what, group_book::existing there, unsigned status) {
    const auto detail = what.wanted.name + " = " + what.wanted.definition;
    const auto saved =
        co_await within(time_, engine_patience, groups_.put(std::move(what.wanted), there));
    result<void> outcome;
    if (!saved) outcome = fail(saved.error());
    CO_CHECK_OK(co_await recorded(std::move(what.who), "group.save", detail, outcome));
    co_return told(status, group_json(*saved));
}

groups_api::answer groups_api::add(http::request asked) {
    CO_TRY(auto what, co_await read_order(desk_.admit(asked), asked.body(), std::nullopt));
    co_return co_await save(std::move(what), group_book::existing::refuse, 201);
}

groups_api::answer groups_api::put(http::request asked) {
    auto name = asked.captured("name");
    CO_TRY(auto what, co_await read_order(desk_.admit(asked), asked.body(), std::move(name)));
    co_return co_await save(std::move(what), group_book::existing::replace, 200);
}

groups_api::answer groups_api::remove(http::request asked) {
    CO_TRY(auto who, co_await desk_.admit(asked));
    const std::string name = asked.captured("name");
    const auto removed = co_await within(time_, engine_patience, groups_.remove(name, who.user));
    CO_CHECK_OK(co_await recorded(std::move(who), "group.remove", name, removed));
    co_return told(200, json::object{{"removed", name}});
}

}  // namespace muster::gateway
