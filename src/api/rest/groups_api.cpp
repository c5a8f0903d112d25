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

constexpr const char* all = "/api/v1/groups";
constexpr const char* one = "/api/v1/groups/{name}";
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

std::vector<parameter> wanted_parameters(parameter name) {
    return {
        std::move(name),
        optional_in_body(
            "expression", text(expression_bytes_max).with_about("who is meant, as in a search")),
        optional_in_body(
            "members",
            list_of(api::name()).with_about("instead: names, as in one of Salt's nodegroups")),
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

// An expression, or members: a list of names, as Salt's nodegroups may be written.
result<std::string> definition_in(const call& call) {
    const auto expression = call.optional_text("expression");
    const auto members = call.optional_texts("members");
    if (expression.has_value() == members.has_value())
        return fail(errc::invalid, "say who is meant: either `expression` or `members`");
    if (expression) return *expression;
    std::string words;
    for (const auto& member : *members) words += (words.empty() ? "" : " ") + member;
    return words;
}

}  // namespace

result<void> groups_api::declare(registry& to) {
    CHECK_OK(to.add(
        {.name = "groups.list",
         .summary = "The saved groups",
         .path = all,
         .gives = page_of(group_shape()),
         .needed = right::fleet_read,
         .within = scope::filtered},
        done_by(this, &groups_api::list)));
    CHECK_OK(to.add(
        {.name = "groups.show",
         .summary = "A saved group",
         .path = one,
         .takes = {in_path("name", name())},
         .gives = group_shape(),
         .needed = right::fleet_read,
         .within = scope::filtered},
        done_by(this, &groups_api::show)));
    CHECK_OK(to.add(
        {.name = "groups.add",
         .summary = "Saves an expression under a new name",
         .method = verb::post,
         .path = all,
         .takes = wanted_parameters(in_body("name", name())),
         .gives = group_shape(),
         .status = 201,
         .needed = right::groups_change},
        done_by(this, &groups_api::add)));
    CHECK_OK(to.add(
        {.name = "groups.put",
         .summary = "Saves an expression under a name, whether or not it is there",
         .method = verb::put,
         .path = one,
         .takes = wanted_parameters(in_path("name", name())),
         .gives = group_shape(),
         .needed = right::groups_change},
        done_by(this, &groups_api::put)));
    return to.add(
        {.name = "groups.remove",
         .summary = "Removes a saved group; no system is touched",
         .method = verb::remove,
         .path = one,
         .takes = {in_path("name", name())},
         .gives = record_of({required("removed", name())}),
         .needed = right::groups_change},
        done_by(this, &groups_api::remove));
}

async<reply> groups_api::list(call /*asked*/) {
    const auto now = groups_.current();
    json::array items;
    for (const auto& [name, each] : *now) items.push_back(group_json(each));
    co_return reply{json::object{{"items", std::move(items)}, {"next", nullptr}}};
}

async<reply> groups_api::show(call call) {
    const auto now = groups_.current();
    const auto it = now->find(call.text("name"));
    if (it == now->end()) co_return fail(errc::not_found, "there is no group of this name");
    co_return reply{group_json(it->second)};
}

async<reply> groups_api::save(call call, group_store::existing there) {
    saved_group saved_group{.name = call.text("name")};
    CO_TRY(saved_group.definition, definition_in(call));
    saved_group.description = call.optional_text("description").value_or("");
    saved_group.changed_by = call.who().user;
    call.set_subject(saved_group.name + " = " + saved_group.definition);
    CO_TRY(
        const auto saved,
        co_await within(clock_, engine_timeout, groups_.put(std::move(saved_group), there)));
    co_return reply{group_json(saved)};
}

async<reply> groups_api::add(call call) {
    return save(std::move(call), group_store::existing::refuse);
}

async<reply> groups_api::put(call call) {
    return save(std::move(call), group_store::existing::replace);
}

async<reply> groups_api::remove(call call) {
    const auto& name = call.text("name");
    CO_CHECK_OK(co_await within(clock_, engine_timeout, groups_.remove(name, call.who().user)));
    co_return reply{json::object{{"removed", name}}};
}

}  // namespace muster::api
