#include "api/xmlrpc/methods/recurring_methods.h"

#include "ports/deadline.h"
#include "api/xmlrpc/methods/declaring.h"
#include "api/xmlrpc/methods/quartz.h"
#include "api/xmlrpc/methods/recurring_work.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

namespace json = boost::json;
using namespace api;
using access::right;
using cluster::numbered::group;
using cluster::numbered::recurring;
using api::engine_patience;

constexpr std::int64_t all_systems = 1;  // the only organisation
constexpr std::string_view system_word = "number:";
constexpr std::string_view group_word = "group:";

constexpr method_family methods{
    .prefix = "recurring.",
    .reads = right::jobs_read,
    .changes = right::schedules_change,
    .reads_within = scope::cluster};

parameter properties() {
    return argument("actionProps", map_of(anything()));
}

const value* property(const call& asked, std::string_view name) {
    return asked.arguments().find("actionProps")->find(name);
}

result<std::string> text_property(const call& asked, std::string_view name) {
    const auto* const found = property(asked, name);
    const auto* const given = found == nullptr ? nullptr : found->get<std::string>();
    if (given == nullptr || given->empty())
        return fail(errc::invalid, fmt::format("`actionProps` needs the text `{}`", name));
    return *given;
}

result<std::int64_t> number_property(const call& asked, std::string_view name) {
    const auto* const found = property(asked, name);
    const auto* const given = found == nullptr ? nullptr : found->get<std::int64_t>();
    if (given == nullptr || *given < 1)
        return fail(errc::invalid, fmt::format("`actionProps` needs the number `{}`", name));
    return *given;
}

shape recurring_shape() {
    return record_of(
        {required("id", integer(1)),
         required("type", text()),
         required("name", name()),
         optional("entity_id", integer(1)),
         optional("entity_type", text()),
         required("cron_expr", text()),
         required("created", api::time()),
         required("creator", text()),
         required("test", flag()),
         optional("states", list_of(text())),
         required("active", flag())});
}

}  // namespace

result<void> recurring_methods::declare(method_book& to) {
    auto listed = methods.reading(
        "listByEntity", "What runs again and again", {}, list_of(recurring_shape()));
    listed.takes = {
        argument("type", text().with_choices({"minion", "group", "org"})),
        argument("id", system_id())};
    CHECK_OK(to.add({std::move(listed), done_by(this, &recurring_methods::list_by_entity)}));
    auto one = methods.reading("lookupById", "One recurring action", {}, recurring_shape());
    one.takes = {argument("id", action_id())};
    CHECK_OK(to.add({std::move(one), done_by(this, &recurring_methods::look_up)}));
    CHECK_OK(to.add(
        {methods.reading(
             "custom.listAvailable", "What can be run again and again", {}, list_of(text())),
         done_by(this, &recurring_methods::list_available)}));
    CHECK_OK(to.add(
        {methods.changing(
             "delete", "Ends a recurring action", {argument("id", action_id())}, integer(1)),
         done_by(this, &recurring_methods::remove)}));
    const auto declare_kind = [&](const std::string& kind,
                                  const std::string& what,
                                  auto makes,
                                  auto changes) -> result<void> {
        CHECK_OK(to.add(
            {methods.changing(kind + ".create", "Makes " + what, {properties()}, integer(1)),
             done_by(this, makes)}));
        return to.add(
            {methods.changing(kind + ".update", "Changes " + what, {properties()}, integer(1)),
             done_by(this, changes)});
    };
    CHECK_OK(declare_kind(
        "custom",
        "a recurring action",
        &recurring_methods::create_custom,
        &recurring_methods::update_custom));
    return declare_kind(
        "highstate",
        "what brings systems to their configuration again and again",
        &recurring_methods::create_highstate,
        &recurring_methods::update_highstate);
}

async<std::int64_t> recurring_methods::number_of(std::string_view kind, std::string name) const {
    const auto& around = around_.actions.around();
    auto asking = around.numbers.number(std::string(kind), std::move(name));
    CO_TRY(const auto known, co_await within(around.time, engine_patience, std::move(asking)));
    co_return known.number;
}

async<std::string> recurring_methods::name_of(std::int64_t number) const {
    const auto& around = around_.actions.around();
    auto asking = around.numbers.find(std::string(recurring), number);
    const auto known = co_await within(around.time, engine_patience, std::move(asking));
    if (!known && known.error().code() != errc::not_found) co_return fail(known.error());
    const auto now = around_.book.current();
    if (!now) co_return fail(errc::unavailable, "the server is still reading the schedules");
    if (!known || !now->schedules.contains(known->name))
        co_return fail(errc::not_found, fmt::format("There is no recurring action {}", number));
    co_return known->name;
}

async<std::string> recurring_methods::query_of(call asked, entity whom) const {
    if (whom.type == "org") {
        if (whom.id != all_systems)
            co_return fail(errc::not_found, fmt::format("There is no organisation {}", whom.id));
        co_return std::string("*");
    }
    if (whom.type == "minion") {
        CO_TRY(const auto found, around_.view.find(asked, whom.id));
        co_return fmt::format("{}{}", system_word, found.number.value());
    }
    if (whom.type != "group")
        co_return fail(errc::invalid, "`entity_type` is minion, group or org");
    const auto& around = around_.actions.around();
    auto asking = around.numbers.find(std::string(group), whom.id);
    const auto known = co_await within(around.time, engine_patience, std::move(asking));
    if (!known && known.error().code() != errc::not_found) co_return fail(known.error());
    if (!known || !around_.view.around().groups.current()->contains(known->name))
        co_return fail(errc::not_found, fmt::format("There is no system group {}", whom.id));
    co_return std::string(group_word) + known->name;
}

async<value> recurring_methods::told(std::string name) const {
    const auto now = around_.book.current();
    if (!now) co_return fail(errc::unavailable, "the server is still reading the schedules");
    const auto found = now->schedules.find(name);
    if (found == now->schedules.end())
        co_return fail(errc::not_found, "There is no recurring action " + name);
    const auto kept = found->second;
    const auto& timing = kept.stored.timing;
    const bool dated = kept.stored.made != wall_time();
    CO_TRY(const auto id, co_await number_of(recurring, name));
    value::record made{
        {"id", id},
        {"type", is_highstate(kept.stored) ? "HIGHSTATE" : "CUSTOMSTATE"},
        {"name", name},
        {"cron_expr", timing.cron.empty() ? timing.at + timing.rrule : quartz_of_cron(timing.cron)},
        {"created", dated ? kept.stored.made : kept.row.changed},
        {"creator", dated ? kept.stored.made_by : kept.row.changed_by},
        {"test", is_trial(kept.stored)},
        {"active", kept.stored.active}};
    if (!is_highstate(kept.stored)) made.push_back({"states", states_of(kept.stored)});
    const auto& query = kept.stored.query;
    if (query == "*") {
        made.push_back({"entity_type", "org"});
        made.push_back({"entity_id", all_systems});
    } else if (query.starts_with(group_word)) {
        CO_TRY(const auto which, co_await number_of(group, query.substr(group_word.size())));
        made.push_back({"entity_type", "group"});
        made.push_back({"entity_id", which});
    } else if (query.starts_with(system_word)) {
        std::int64_t system = 0;
        const auto digits = query.substr(system_word.size());
        std::from_chars(digits.data(), digits.data() + digits.size(), system);
        made.push_back({"entity_type", "minion"});
        made.push_back({"entity_id", system});
    }
    co_return value(std::move(made));
}

async<answer> recurring_methods::list_by_entity(call asked) {
    entity whom{.type = asked.text("type"), .id = asked.integer("id")};
    CO_TRY(const auto query, co_await query_of(asked, std::move(whom)));
    const auto now = around_.book.current();
    if (!now) co_return fail(errc::unavailable, "the server is still reading the schedules");
    value::list made;
    for (const auto& [name, kept] : now->schedules) {
        if (kept.stored.query != query) continue;
        CO_TRY(auto one, co_await told(name));
        made.push_back(std::move(one));
    }
    co_return answer{std::move(made)};
}

async<answer> recurring_methods::look_up(call asked) {
    CO_TRY(const auto name, co_await name_of(asked.integer("id")));
    CO_TRY(auto one, co_await told(name));
    co_return answer{std::move(one)};
}

async<answer> recurring_methods::list_available(call /*asked*/) {
    co_return answer{offered_states()};
}

async<answer> recurring_methods::remove(call asked) {
    CO_TRY(const auto name, co_await name_of(asked.integer("id")));
    asked.set_subject(name);
    json::object body{{"name", name}};
    CO_CHECK_OK(
        co_await around_.actions.around().natives.ask(asked, "schedules.remove", std::move(body)));
    co_return answer{1};
}

async<answer> recurring_methods::create_custom(call asked) {
    CO_CHECK_OK(check_members(
        asked, "actionProps", {"entity_type", "entity_id", "name", "cron_expr", "states", "test"}));
    json::object body;
    CO_CHECK_OK(put_states(body, *asked.arguments().find("actionProps")));
    if (!body.contains("function"))
        co_return fail(errc::invalid, "`actionProps` needs `states`: what is run");
    co_return co_await create(std::move(asked), std::move(body));
}

async<answer> recurring_methods::create_highstate(call asked) {
    CO_CHECK_OK(check_members(
        asked, "actionProps", {"entity_type", "entity_id", "name", "cron_expr", "test"}));
    json::object body;
    CO_CHECK_OK(put_highstate(body, *asked.arguments().find("actionProps"), "{}"));
    co_return co_await create(std::move(asked), std::move(body));
}

async<answer> recurring_methods::create(call asked, json::object body) {
    CO_TRY(const auto name, text_property(asked, "name"));
    asked.set_subject(name);
    entity whom;
    CO_TRY(whom.type, text_property(asked, "entity_type"));
    CO_TRY(whom.id, number_property(asked, "entity_id"));
    CO_TRY(const auto written, text_property(asked, "cron_expr"));
    CO_TRY(const auto cron, cron_of_quartz(written));
    CO_TRY(const auto query, co_await query_of(asked, std::move(whom)));
    body["name"] = name;
    body["cron"] = cron;
    body["query"] = query;
    CO_CHECK_OK(
        co_await around_.actions.around().natives.ask(asked, "schedules.add", std::move(body)));
    CO_TRY(const auto number, co_await number_of(recurring, name));
    co_return answer{number};
}

async<windows::stored_schedule> recurring_methods::stored(call asked) const {
    // Clients send back what they were given.
    CO_CHECK_OK(check_members(
        asked,
        "actionProps",
        {"id",
         "name",
         "cron_expr",
         "states",
         "test",
         "active",
         "type",
         "entity_id",
         "entity_type",
         "created",
         "creator"}));
    CO_TRY(const auto number, number_property(asked, "id"));
    CO_TRY(const auto name, co_await name_of(number));
    const auto now = around_.book.current();
    const auto found = now->schedules.find(name);
    if (found == now->schedules.end())
        co_return fail(errc::not_found, fmt::format("There is no recurring action {}", number));
    co_return found->second.stored;
}

async<answer> recurring_methods::update_custom(call asked) {
    CO_TRY(const auto now, co_await stored(asked));
    if (is_highstate(now))
        co_return fail(
            errc::invalid, "It is one of recurring.highstate: recurring.highstate.update");
    json::object body;
    CO_CHECK_OK(put_states(body, *asked.arguments().find("actionProps")));
    co_return co_await update(std::move(asked), std::move(body));
}

async<answer> recurring_methods::update_highstate(call asked) {
    CO_TRY(const auto now, co_await stored(asked));
    if (!is_highstate(now))
        co_return fail(errc::invalid, "It is one of recurring.custom: recurring.custom.update");
    json::object body;
    if (property(asked, "test") != nullptr) {
        const auto& given = *asked.arguments().find("actionProps");
        CO_CHECK_OK(put_highstate(body, given, now.arguments));
    }
    co_return co_await update(std::move(asked), std::move(body));
}

async<answer> recurring_methods::update(call asked, json::object body) {
    CO_TRY(const auto number, number_property(asked, "id"));
    CO_TRY(const auto name, co_await name_of(number));
    asked.set_subject(name);
    body["name"] = name;
    if (property(asked, "name") != nullptr) {
        CO_TRY(const auto wanted, text_property(asked, "name"));
        if (wanted != name)
            co_return fail(
                errc::invalid, "A recurring action keeps its name; make another one instead");
    }
    if (property(asked, "cron_expr") != nullptr) {
        CO_TRY(const auto written, text_property(asked, "cron_expr"));
        CO_TRY(const auto cron, cron_of_quartz(written));
        body["cron"] = cron;
    }
    if (const auto* const active = property(asked, "active")) {
        if (!active->holds<bool>()) co_return fail(errc::invalid, "`active` is true or false");
        body["active"] = *active->get<bool>();
    }
    CO_CHECK_OK(
        co_await around_.actions.around().natives.ask(asked, "schedules.change", std::move(body)));
    co_return answer{number};
}

}  // namespace muster::xmlrpc_api
