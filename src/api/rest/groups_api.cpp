#include "api/rest/groups_api.h"

#include "base/iso_time.h"
#include "ports/deadline.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;
using namespace api;
using access::right;
using fleet::group_store;
using fleet::saved_group;

constexpr const char* collection_path = "/api/v1/groups";
constexpr const char* item_path = "/api/v1/groups/{name}";
constexpr std::int64_t expression_bytes_max = 32 * std::int64_t{1024};

shape group_shape() {
    return record_of(
        {required("name", name()),
         required("expression", text(expression_bytes_max)),
         required("description", text()),
         required("version", integer(0)),
         required("changed_by", text()),
         required("changed", api::time()),
         required("href", text())});
}

std::vector<parameter> group_parameters(parameter name) {
    return {
        std::move(name),
        optional_in_body(
            "expression", text(expression_bytes_max).with_about("query that selects the systems")),
        optional_in_body(
            "members",
            list_of(api::name())
                .with_about("instead of `expression`: names, as in a Salt nodegroup")),
        optional_in_body("description", text())};
}

json::object group_json(const saved_group& group) {
    return {
        {"name", group.name},
        {"expression", group.definition},
        {"description", group.description},
        {"version", group.version},
        {"changed_by", group.changed_by},
        {"changed", iso_time(group.changed)},
        {"href", "/api/v1/groups/" + group.name}};
}

// An expression, or a list of names as in Salt's nodegroups.
result<std::string> read_definition(const call& call) {
    const auto expression = call.optional_text("expression");
    const auto members = call.optional_texts("members");
    if (expression.has_value() == members.has_value())
        return fail(errc::invalid, "exactly one of `expression` and `members` is required");
    if (expression) return *expression;
    std::string names;
    for (const auto& member : *members) names += (names.empty() ? "" : " ") + member;
    return names;
}

}  // namespace

result<void> groups_api::declare(registry& operations) {
    CHECK_OK(operations.add(
        {.name = "groups.list",
         .summary = "List saved groups",
         .path = collection_path,
         .gives = page_of(group_shape()),
         .needed = right::fleet_read,
         .within = scope::filtered},
        handler(this, &groups_api::list)));
    CHECK_OK(operations.add(
        {.name = "groups.show",
         .summary = "Get a saved group",
         .path = item_path,
         .takes = {in_path("name", name())},
         .gives = group_shape(),
         .needed = right::fleet_read,
         .within = scope::filtered},
        handler(this, &groups_api::show)));
    CHECK_OK(operations.add(
        {.name = "groups.create",
         .summary = "Create a saved group",
         .method = verb::post,
         .path = collection_path,
         .takes = group_parameters(in_body("name", name())),
         .gives = group_shape(),
         .status = 201,
         .needed = right::groups_change},
        handler(this, &groups_api::add)));
    CHECK_OK(operations.add(
        {.name = "groups.replace",
         .summary = "Create or replace a saved group",
         .method = verb::put,
         .path = item_path,
         .takes = group_parameters(in_path("name", name())),
         .gives = group_shape(),
         .needed = right::groups_change},
        handler(this, &groups_api::put)));
    return operations.add(
        {.name = "groups.remove",
         .summary = "Delete a saved group without changing its systems",
         .method = verb::remove,
         .path = item_path,
         .takes = {in_path("name", name())},
         .gives = record_of({required("removed", name())}),
         .needed = right::groups_change},
        handler(this, &groups_api::remove));
}

async<reply> groups_api::list(call /*call*/) {
    const auto groups = groups_.current();
    json::array items;
    for (const auto& [name, group] : *groups) items.push_back(group_json(group));
    co_return reply{json::object{{"items", std::move(items)}, {"next", nullptr}}};
}

async<reply> groups_api::show(call call) {
    const auto groups = groups_.current();
    const auto it = groups->find(call.text("name"));
    if (it == groups->end())
        co_return fail(errc::not_found, "group \"" + call.text("name") + "\" not found");
    co_return reply{group_json(it->second)};
}

async<reply> groups_api::save(call call, group_store::existing_policy existing_mode) {
    saved_group group{.name = call.text("name")};
    CO_TRY(group.definition, read_definition(call));
    group.description = call.optional_text("description").value_or("");
    group.changed_by = call.caller().user;
    call.set_subject(group.name + " = " + group.definition);
    CO_TRY(
        const auto saved,
        co_await within(clock_, engine_timeout, groups_.put(std::move(group), existing_mode)));
    co_return reply{group_json(saved)};
}

async<reply> groups_api::add(call call) {
    return save(std::move(call), group_store::existing_policy::refuse);
}

async<reply> groups_api::put(call call) {
    return save(std::move(call), group_store::existing_policy::replace);
}

async<reply> groups_api::remove(call call) {
    const auto& name = call.text("name");
    CO_CHECK_OK(co_await within(clock_, engine_timeout, groups_.remove(name, call.caller().user)));
    co_return reply{json::object{{"removed", name}}};
}

}  // namespace muster::api
