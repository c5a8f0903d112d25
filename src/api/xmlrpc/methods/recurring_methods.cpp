#include "api/xmlrpc/methods/recurring_methods.h"

#include "api/xmlrpc/methods/method_declarations.h"
#include "api/xmlrpc/methods/quartz.h"
#include "api/xmlrpc/methods/recurring_action_command.h"
#include "ports/deadline.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

namespace json = boost::json;
using namespace api;
using access::right;
using api::engine_timeout;
using compatibility::numbered::group;
using compatibility::numbered::recurring;

constexpr std::int64_t all_systems = 1;  // the only organisation
constexpr std::string_view system_word = "number:";
constexpr std::string_view group_word = "group:";

constexpr method_defaults methods{
    .prefix = "recurring.",
    .reads = right::jobs_read,
    .changes = right::schedules_change,
    .reads_within = scope::cluster};

parameter properties() {
    return argument("actionProps", map_of(anything()));
}

const value* property(const call& call, std::string_view name) {
    return call.arguments().find("actionProps")->find(name);
}

result<std::string> text_property(const call& call, std::string_view name) {
    const auto* const found = property(call, name);
    const auto* const given = found == nullptr ? nullptr : found->get<std::string>();
    if (given == nullptr || given->empty())
        return fail(errc::invalid, fmt::format("`actionProps` needs the text `{}`", name));
    return *given;
}

result<std::int64_t> number_property(const call& call, std::string_view name) {
    const auto* const found = property(call, name);
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

result<void> recurring_methods::declare(method_registry& to) {
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
                                  const std::string& text,
                                  auto makes,
                                  auto changes) -> result<void> {
        CHECK_OK(to.add(
            {methods.changing(kind + ".create", "Makes " + text, {properties()}, integer(1)),
             done_by(this, makes)}));
        return to.add(
            {methods.changing(kind + ".update", "Changes " + text, {properties()}, integer(1)),
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
    const auto& deps = deps_.actions.around();
    auto asking = deps.numbers.number(std::string(kind), std::move(name));
    CO_TRY(const auto existing, co_await within(deps.clock, engine_timeout, std::move(asking)));
    co_return existing.number;
}

async<std::string> recurring_methods::name_of(std::int64_t number) const {
    const auto& deps = deps_.actions.around();
    auto asking = deps.numbers.find(std::string(recurring), number);
    const auto existing = co_await within(deps.clock, engine_timeout, std::move(asking));
    if (!existing && existing.error().code() != errc::not_found) co_return fail(existing.error());
    const auto now = deps_.windows.current();
    if (!now) co_return fail(errc::unavailable, "the server is still reading the schedules");
    if (!existing || !now->schedules.contains(existing->name))
        co_return fail(errc::not_found, fmt::format("There is no recurring action {}", number));
    co_return existing->name;
}

async<std::string> recurring_methods::query_of(call call, entity entity) const {
    if (entity.type == "org") {
        if (entity.id != all_systems)
            co_return fail(errc::not_found, fmt::format("There is no organisation {}", entity.id));
        co_return std::string("*");
    }
    if (entity.type == "minion") {
        CO_TRY(const auto match, deps_.view.find(call, entity.id));
        co_return fmt::format("{}{}", system_word, match.number.value());
    }
    if (entity.type != "group")
        co_return fail(errc::invalid, "`entity_type` is minion, group or org");
    const auto& deps = deps_.actions.around();
    auto asking = deps.numbers.find(std::string(group), entity.id);
    const auto existing = co_await within(deps.clock, engine_timeout, std::move(asking));
    if (!existing && existing.error().code() != errc::not_found) co_return fail(existing.error());
    if (!existing || !deps_.view.around().groups.current()->contains(existing->name))
        co_return fail(errc::not_found, fmt::format("There is no system group {}", entity.id));
    co_return std::string(group_word) + existing->name;
}

async<value> recurring_methods::told(std::string name) const {
    const auto now = deps_.windows.current();
    if (!now) co_return fail(errc::unavailable, "the server is still reading the schedules");
    const auto it = now->schedules.find(name);
    if (it == now->schedules.end())
        co_return fail(errc::not_found, "There is no recurring action " + name);
    const auto stored = it->second;
    const auto& timing = stored.stored.timing;
    const bool dated = stored.stored.made != wall_time();
    CO_TRY(const auto id, co_await number_of(recurring, name));
    value::record record{
        {"id", id},
        {"type", is_highstate(stored.stored) ? "HIGHSTATE" : "CUSTOMSTATE"},
        {"name", name},
        {"cron_expr", timing.cron.empty() ? timing.at + timing.rrule : quartz_of_cron(timing.cron)},
        {"created", dated ? stored.stored.made : stored.row.changed},
        {"creator", dated ? stored.stored.made_by : stored.row.changed_by},
        {"test", is_trial(stored.stored)},
        {"active", stored.stored.active}};
    if (!is_highstate(stored.stored)) record.push_back({"states", states_of(stored.stored)});
    const auto& query = stored.stored.query;
    if (query == "*") {
        record.push_back({"entity_type", "org"});
        record.push_back({"entity_id", all_systems});
    } else if (query.starts_with(group_word)) {
        CO_TRY(const auto number, co_await number_of(group, query.substr(group_word.size())));
        record.push_back({"entity_type", "group"});
        record.push_back({"entity_id", number});
    } else if (query.starts_with(system_word)) {
        std::int64_t system = 0;
        const auto digits = query.substr(system_word.size());
        std::from_chars(digits.data(), digits.data() + digits.size(), system);
        record.push_back({"entity_type", "minion"});
        record.push_back({"entity_id", system});
    }
    co_return value(std::move(record));
}

async<answer> recurring_methods::list_by_entity(call call) {
    entity entity{.type = call.text("type"), .id = call.integer("id")};
    CO_TRY(const auto query, co_await query_of(call, std::move(entity)));
    const auto now = deps_.windows.current();
    if (!now) co_return fail(errc::unavailable, "the server is still reading the schedules");
    value::list list;
    for (const auto& [name, kept] : now->schedules) {
        if (kept.stored.query != query) continue;
        CO_TRY(auto one, co_await told(name));
        list.push_back(std::move(one));
    }
    co_return answer{std::move(list)};
}

async<answer> recurring_methods::look_up(call call) {
    CO_TRY(const auto name, co_await name_of(call.integer("id")));
    CO_TRY(auto one, co_await told(name));
    co_return answer{std::move(one)};
}

async<answer> recurring_methods::list_available(call /*asked*/) {
    co_return answer{offered_states()};
}

async<answer> recurring_methods::remove(call call) {
    CO_TRY(const auto name, co_await name_of(call.integer("id")));
    call.set_subject(name);
    json::object body{{"name", name}};
    CO_CHECK_OK(
        co_await deps_.actions.around().natives.ask(call, "schedules.remove", std::move(body)));
    co_return answer{1};
}

async<answer> recurring_methods::create_custom(call call) {
    CO_CHECK_OK(check_members(
        call, "actionProps", {"entity_type", "entity_id", "name", "cron_expr", "states", "test"}));
    json::object body;
    CO_CHECK_OK(put_states(body, *call.arguments().find("actionProps")));
    if (!body.contains("function"))
        co_return fail(errc::invalid, "`actionProps` needs `states`: what is run");
    co_return co_await create(std::move(call), std::move(body));
}

async<answer> recurring_methods::create_highstate(call call) {
    CO_CHECK_OK(check_members(
        call, "actionProps", {"entity_type", "entity_id", "name", "cron_expr", "test"}));
    json::object body;
    CO_CHECK_OK(put_highstate(body, *call.arguments().find("actionProps"), "{}"));
    co_return co_await create(std::move(call), std::move(body));
}

async<answer> recurring_methods::create(call call, json::object body) {
    CO_TRY(const auto name, text_property(call, "name"));
    call.set_subject(name);
    entity entity;
    CO_TRY(entity.type, text_property(call, "entity_type"));
    CO_TRY(entity.id, number_property(call, "entity_id"));
    CO_TRY(const auto written, text_property(call, "cron_expr"));
    CO_TRY(const auto cron, cron_of_quartz(written));
    CO_TRY(const auto query, co_await query_of(call, std::move(entity)));
    body["name"] = name;
    body["cron"] = cron;
    body["query"] = query;
    CO_CHECK_OK(
        co_await deps_.actions.around().natives.ask(call, "schedules.add", std::move(body)));
    CO_TRY(const auto number, co_await number_of(recurring, name));
    co_return answer{number};
}

async<windows::stored_schedule> recurring_methods::stored(call call) const {
    // Clients send back what they were given.
    CO_CHECK_OK(check_members(
        call,
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
    CO_TRY(const auto number, number_property(call, "id"));
    CO_TRY(const auto name, co_await name_of(number));
    const auto now = deps_.windows.current();
    const auto it = now->schedules.find(name);
    if (it == now->schedules.end())
        co_return fail(errc::not_found, fmt::format("There is no recurring action {}", number));
    co_return it->second.stored;
}

async<answer> recurring_methods::update_custom(call call) {
    CO_TRY(const auto now, co_await stored(call));
    if (is_highstate(now))
        co_return fail(
            errc::invalid, "It is one of recurring.highstate: recurring.highstate.update");
    json::object body;
    CO_CHECK_OK(put_states(body, *call.arguments().find("actionProps")));
    co_return co_await update(std::move(call), std::move(body));
}

async<answer> recurring_methods::update_highstate(call call) {
    CO_TRY(const auto now, co_await stored(call));
    if (!is_highstate(now))
        co_return fail(errc::invalid, "It is one of recurring.custom: recurring.custom.update");
    json::object body;
    if (property(call, "test") != nullptr) {
        const auto& input = *call.arguments().find("actionProps");
        CO_CHECK_OK(put_highstate(body, input, now.arguments));
    }
    co_return co_await update(std::move(call), std::move(body));
}

async<answer> recurring_methods::update(call call, json::object body) {
    CO_TRY(const auto number, number_property(call, "id"));
    CO_TRY(const auto name, co_await name_of(number));
    call.set_subject(name);
    body["name"] = name;
    if (property(call, "name") != nullptr) {
        CO_TRY(const auto desired, text_property(call, "name"));
        if (desired != name)
            co_return fail(
                errc::invalid, "A recurring action keeps its name; make another one instead");
    }
    if (property(call, "cron_expr") != nullptr) {
        CO_TRY(const auto written, text_property(call, "cron_expr"));
        CO_TRY(const auto cron, cron_of_quartz(written));
        body["cron"] = cron;
    }
    if (const auto* const active = property(call, "active")) {
        if (!active->holds<bool>()) co_return fail(errc::invalid, "`active` is true or false");
        body["active"] = *active->get<bool>();
    }
    CO_CHECK_OK(
        co_await deps_.actions.around().natives.ask(call, "schedules.change", std::move(body)));
    co_return answer{number};
}

}  // namespace muster::xmlrpc_api
