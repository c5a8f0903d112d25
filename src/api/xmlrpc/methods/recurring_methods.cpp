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

constexpr std::int64_t only_organisation = 1;  // the only organisation
constexpr std::string_view system_prefix = "number:";
constexpr std::string_view group_prefix = "group:";

constexpr method_defaults methods{
    .prefix = "recurring.",
    .read_right = right::jobs_read,
    .change_right = right::schedules_change,
    .read_scope = scope::cluster};

parameter properties() {
    return argument("actionProps", map_of(anything()));
}

const value* property(const call& call, std::string_view name) {
    return call.arguments().find("actionProps")->find(name);
}

result<std::string> text_property(const call& call, std::string_view name) {
    const auto* const member = property(call, name);
    const auto* const text = member == nullptr ? nullptr : member->get<std::string>();
    if (text == nullptr || text->empty())
        return fail(errc::invalid, fmt::format("`actionProps` requires the string `{}`", name));
    return *text;
}

result<std::int64_t> number_property(const call& call, std::string_view name) {
    const auto* const member = property(call, name);
    const auto* const number = member == nullptr ? nullptr : member->get<std::int64_t>();
    if (number == nullptr || *number < 1)
        return fail(
            errc::invalid, fmt::format("`actionProps` requires the positive integer `{}`", name));
    return *number;
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

result<void> recurring_methods::declare(method_registry& registry) {
    auto list = methods.read_method(
        "listByEntity", "List recurring actions", {}, list_of(recurring_shape()));
    list.takes = {
        argument("type", text().with_choices({"minion", "group", "org"})),
        argument("id", system_id())};
    CHECK_OK(registry.add({std::move(list), handler(this, &recurring_methods::list_by_entity)}));
    auto look_up =
        methods.read_method("lookupById", "Get a recurring action", {}, recurring_shape());
    look_up.takes = {argument("id", action_id())};
    CHECK_OK(registry.add({std::move(look_up), handler(this, &recurring_methods::look_up)}));
    CHECK_OK(registry.add(
        {methods.read_method(
             "custom.listAvailable", "List the states for recurring actions", {}, list_of(text())),
         handler(this, &recurring_methods::list_available)}));
    CHECK_OK(registry.add(
        {methods.change_method(
             "delete", "Delete a recurring action", {argument("id", action_id())}, integer(1)),
         handler(this, &recurring_methods::remove)}));
    const auto declare_kind = [&](const std::string& kind,
                                  const std::string& text,
                                  auto create,
                                  auto update) -> result<void> {
        CHECK_OK(registry.add(
            {methods.change_method(kind + ".create", "Create " + text, {properties()}, integer(1)),
             handler(this, create)}));
        return registry.add(
            {methods.change_method(kind + ".update", "Update " + text, {properties()}, integer(1)),
             handler(this, update)});
    };
    CHECK_OK(declare_kind(
        "custom",
        "a recurring action",
        &recurring_methods::create_custom,
        &recurring_methods::update_custom));
    return declare_kind(
        "highstate",
        "a recurring highstate action",
        &recurring_methods::create_highstate,
        &recurring_methods::update_highstate);
}

async<std::int64_t> recurring_methods::find_number(std::string_view kind, std::string name) const {
    const auto& deps = deps_.actions.deps();
    auto lookup = deps.numbers.number(std::string(kind), std::move(name));
    CO_TRY(const auto id, co_await within(deps.clock, engine_timeout, std::move(lookup)));
    co_return id.number;
}

async<std::string> recurring_methods::find_name(std::int64_t number) const {
    const auto& deps = deps_.actions.deps();
    auto lookup = deps.numbers.find(std::string(recurring), number);
    const auto id = co_await within(deps.clock, engine_timeout, std::move(lookup));
    if (!id && id.error().code() != errc::not_found) co_return fail(id.error());
    const auto snapshot = deps_.windows.current();
    if (!snapshot)
        co_return fail(errc::unavailable, "recurring schedules are not loaded yet; retry");
    if (!id || !snapshot->schedules.contains(id->name))
        co_return fail(errc::not_found, fmt::format("recurring action \"{}\" not found", number));
    co_return id->name;
}

async<std::string> recurring_methods::read_query(call call, entity entity) const {
    if (entity.type == "org") {
        if (entity.id != only_organisation)
            co_return fail(
                errc::not_found, fmt::format("organization \"{}\" not found", entity.id));
        co_return std::string("*");
    }
    if (entity.type == "minion") {
        CO_TRY(const auto match, deps_.fleet.find(call, entity.id));
        co_return fmt::format("{}{}", system_prefix, match.number.value());
    }
    if (entity.type != "group")
        co_return fail(errc::invalid, "`entity_type` must be minion, group or org");
    const auto& deps = deps_.actions.deps();
    auto lookup = deps.numbers.find(std::string(group), entity.id);
    const auto id = co_await within(deps.clock, engine_timeout, std::move(lookup));
    if (!id && id.error().code() != errc::not_found) co_return fail(id.error());
    if (!id || !deps_.fleet.deps().groups.current()->contains(id->name))
        co_return fail(errc::not_found, fmt::format("system group \"{}\" not found", entity.id));
    co_return std::string(group_prefix) + id->name;
}

async<value> recurring_methods::schedule_value(std::string name) const {
    const auto snapshot = deps_.windows.current();
    if (!snapshot)
        co_return fail(errc::unavailable, "recurring schedules are not loaded yet; retry");
    const auto it = snapshot->schedules.find(name);
    if (it == snapshot->schedules.end())
        co_return fail(errc::not_found, fmt::format("recurring action \"{}\" not found", name));
    const auto schedule = it->second;
    const auto& timing = schedule.stored.timing;
    const bool has_creation = schedule.stored.created != wall_time();
    CO_TRY(const auto id, co_await find_number(recurring, name));
    value::record record{
        {"id", id},
        {"type", is_highstate(schedule.stored) ? "HIGHSTATE" : "CUSTOMSTATE"},
        {"name", name},
        {"cron_expr", timing.cron.empty() ? timing.at + timing.rrule : cron_to_quartz(timing.cron)},
        {"created", has_creation ? schedule.stored.created : schedule.row.changed},
        {"creator", has_creation ? schedule.stored.created_by : schedule.row.changed_by},
        {"test", is_dry_run(schedule.stored)},
        {"active", schedule.stored.active}};
    if (!is_highstate(schedule.stored)) record.push_back({"states", states_of(schedule.stored)});
    const auto& query = schedule.stored.query;
    if (query == "*") {
        record.push_back({"entity_type", "org"});
        record.push_back({"entity_id", only_organisation});
    } else if (query.starts_with(group_prefix)) {
        CO_TRY(const auto number, co_await find_number(group, query.substr(group_prefix.size())));
        record.push_back({"entity_type", "group"});
        record.push_back({"entity_id", number});
    } else if (query.starts_with(system_prefix)) {
        std::int64_t system = 0;
        const auto digits = query.substr(system_prefix.size());
        std::from_chars(digits.data(), digits.data() + digits.size(), system);
        record.push_back({"entity_type", "minion"});
        record.push_back({"entity_id", system});
    }
    co_return value(std::move(record));
}

async<method_response> recurring_methods::list_by_entity(call call) {
    entity entity{.type = call.text("type"), .id = call.integer("id")};
    CO_TRY(const auto query, co_await read_query(call, std::move(entity)));
    const auto snapshot = deps_.windows.current();
    if (!snapshot)
        co_return fail(errc::unavailable, "recurring schedules are not loaded yet; retry");
    value::list list;
    for (const auto& [name, schedule] : snapshot->schedules) {
        if (schedule.stored.query != query) continue;
        CO_TRY(auto item, co_await schedule_value(name));
        list.push_back(std::move(item));
    }
    co_return method_response{std::move(list)};
}

async<method_response> recurring_methods::look_up(call call) {
    CO_TRY(const auto name, co_await find_name(call.integer("id")));
    CO_TRY(auto item, co_await schedule_value(name));
    co_return method_response{std::move(item)};
}

async<method_response> recurring_methods::list_available(call /*call*/) {
    co_return method_response{available_states()};
}

async<method_response> recurring_methods::remove(call call) {
    CO_TRY(const auto name, co_await find_name(call.integer("id")));
    call.set_subject(name);
    json::object body{{"name", name}};
    CO_CHECK_OK(co_await deps_.actions.deps().operations.perform(
        call, "schedules.remove", std::move(body)));
    co_return method_response{1};
}

async<method_response> recurring_methods::create_custom(call call) {
    CO_CHECK_OK(check_members(
        call, "actionProps", {"entity_type", "entity_id", "name", "cron_expr", "states", "test"}));
    json::object body;
    CO_CHECK_OK(set_states(body, *call.arguments().find("actionProps")));
    if (!body.contains("function"))
        co_return fail(errc::invalid, "`actionProps` requires `states`");
    co_return co_await create(std::move(call), std::move(body));
}

async<method_response> recurring_methods::create_highstate(call call) {
    CO_CHECK_OK(check_members(
        call, "actionProps", {"entity_type", "entity_id", "name", "cron_expr", "test"}));
    json::object body;
    CO_CHECK_OK(set_highstate(body, *call.arguments().find("actionProps"), "{}"));
    co_return co_await create(std::move(call), std::move(body));
}

async<method_response> recurring_methods::create(call call, json::object body) {
    CO_TRY(const auto name, text_property(call, "name"));
    call.set_subject(name);
    entity entity;
    CO_TRY(entity.type, text_property(call, "entity_type"));
    CO_TRY(entity.id, number_property(call, "entity_id"));
    CO_TRY(const auto quartz, text_property(call, "cron_expr"));
    CO_TRY(const auto cron, quartz_to_cron(quartz));
    CO_TRY(const auto query, co_await read_query(call, std::move(entity)));
    body["name"] = name;
    body["cron"] = cron;
    body["query"] = query;
    CO_CHECK_OK(co_await deps_.actions.deps().operations.perform(
        call, "schedules.create", std::move(body)));
    CO_TRY(const auto number, co_await find_number(recurring, name));
    co_return method_response{number};
}

async<windows::stored_schedule> recurring_methods::find_schedule(call call) const {
    // Clients send back all members that they received.
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
    CO_TRY(const auto name, co_await find_name(number));
    const auto snapshot = deps_.windows.current();
    const auto it = snapshot->schedules.find(name);
    if (it == snapshot->schedules.end())
        co_return fail(errc::not_found, fmt::format("recurring action \"{}\" not found", number));
    co_return it->second.stored;
}

async<method_response> recurring_methods::update_custom(call call) {
    CO_TRY(const auto schedule, co_await find_schedule(call));
    if (is_highstate(schedule))
        co_return fail(
            errc::invalid,
            "recurring action is a highstate action; use recurring.highstate.update");
    json::object body;
    CO_CHECK_OK(set_states(body, *call.arguments().find("actionProps")));
    co_return co_await update(std::move(call), std::move(body));
}

async<method_response> recurring_methods::update_highstate(call call) {
    CO_TRY(const auto schedule, co_await find_schedule(call));
    if (!is_highstate(schedule))
        co_return fail(
            errc::invalid, "recurring action is a custom action; use recurring.custom.update");
    json::object body;
    if (property(call, "test") != nullptr) {
        const auto& properties = *call.arguments().find("actionProps");
        CO_CHECK_OK(set_highstate(body, properties, schedule.arguments));
    }
    co_return co_await update(std::move(call), std::move(body));
}

async<method_response> recurring_methods::update(call call, json::object body) {
    CO_TRY(const auto number, number_property(call, "id"));
    CO_TRY(const auto name, co_await find_name(number));
    call.set_subject(name);
    body["name"] = name;
    if (property(call, "name") != nullptr) {
        CO_TRY(const auto new_name, text_property(call, "name"));
        if (new_name != name)
            co_return fail(
                errc::invalid,
                "recurring action cannot be renamed; create another recurring action");
    }
    if (property(call, "cron_expr") != nullptr) {
        CO_TRY(const auto quartz, text_property(call, "cron_expr"));
        CO_TRY(const auto cron, quartz_to_cron(quartz));
        body["cron"] = cron;
    }
    if (const auto* const active = property(call, "active")) {
        if (!active->holds<bool>()) co_return fail(errc::invalid, "`active` must be true or false");
        body["active"] = *active->get<bool>();
    }
    CO_CHECK_OK(co_await deps_.actions.deps().operations.perform(
        call, "schedules.change", std::move(body)));
    co_return method_response{number};
}

}  // namespace muster::xmlrpc_api
