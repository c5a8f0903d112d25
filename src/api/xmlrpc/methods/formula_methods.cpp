#include "api/xmlrpc/methods/formula_methods.h"

#include "api/operations/json_value.h"
#include "ports/deadline.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

namespace json = boost::json;
using namespace api;
using access::right;
using api::engine_timeout;

constexpr std::int64_t unknown_group_fault = 2201;
constexpr std::int64_t formulas_max = 100;

fault_codes codes() {
    return {.not_found = unknown_group_fault};
}

// Formula data may be confidential, and a group has no zone.
operation cluster_wide(operation operation) {
    operation.within = scope::cluster;
    return operation;
}

parameter group(const char* name) {
    return argument(name, integer(1, INT32_MAX));
}

// {"formulas": ["a"], "data": {"a": {…}}}; of a group without any, an empty object.
json::object parse_document(const std::string* document) {
    if (document == nullptr) return {};
    json::error_code failure;
    auto parsed = json::parse(*document, failure);
    return failure || !parsed.is_object() ? json::object() : std::move(parsed.as_object());
}

json::object read_formulas(
    const configuration::config_record_store& store, const std::string& group) {
    const auto match = store.find(configuration::kinds::formulas, group);
    return parse_document(match ? &match->document : nullptr);
}

json::object object_member(const json::object& object, std::string_view name) {
    const auto* match = object.if_contains(json::string_view(name.data(), name.size()));
    return match != nullptr && match->is_object() ? match->get_object() : json::object();
}

}  // namespace

result<void> formula_methods::declare(method_registry& registry) {
    using self = formula_methods;
    CHECK_OK(registry.add(
        {cluster_wide(read_method(
             "formula.getFormulasByGroupId",
             "List the formulas of a group",
             {group("systemGroupId")},
             list_of(text()))),
         handler(this, &self::list),
         codes()}));
    CHECK_OK(registry.add(
        {change_method(
             "formula.setFormulasOfGroup",
             "Set the formulas of a group",
             {group("systemGroupId"), argument("formulas", list_of(name(), formulas_max))},
             right::groups_change),
         handler(this, &self::set),
         codes()}));
    CHECK_OK(registry.add(
        {cluster_wide(read_method(
             "formula.getGroupFormulaData",
             "Get the formula data of a group",
             {group("groupId"), argument("formulaName", name())},
             anything())),
         handler(this, &self::get_data),
         codes()}));
    return registry.add(
        {change_method(
             "formula.setGroupFormulaData",
             "Save the formula data of a group",
             {group("groupId"),
              argument("formulaName", name()),
              argument("content", struct_shape())},
             right::groups_change),
         handler(this, &self::set_data),
         codes()});
}

async<std::string> formula_methods::find_group(call call, std::string argument) const {
    const auto number = call.integer(argument);
    auto lookup = deps_.numbers.find(std::string(compatibility::numbered::group), number);
    auto match = co_await within(deps_.clock, engine_timeout, std::move(lookup));
    if (!match && match.error().code() != errc::not_found) co_return fail(match.error());
    if (!match || !deps_.fleet.deps().groups.current()->contains(match->name))
        co_return fail(errc::not_found, fmt::format("system group \"{}\" not found", number));
    co_return std::move(match->name);
}

async<method_response> formula_methods::list(call call) {
    CO_TRY(const auto group, co_await find_group(call, "systemGroupId"));
    const auto formulas = read_formulas(deps_.configuration.records, group);
    value::list list;
    const auto* names = formulas.if_contains("formulas");
    if (names != nullptr && names->is_array()) {
        for (const auto& name : names->get_array())
            if (name.is_string()) list.emplace_back(json::value_to<std::string>(name));
    }
    co_return method_response{std::move(list)};
}

// Removes the data of formulas that the group no longer has.
async<method_response> formula_methods::set(call call) {
    CO_TRY(const auto group, co_await find_group(call, "systemGroupId"));
    const auto names = read_labels(call, "formulas");
    call.set_subject(fmt::format("{}: {}", group, fmt::join(names, " ")));
    auto work = deps_.configuration.records.alter(
        {.kind = std::string(configuration::kinds::formulas),
         .name = group,
         .by = call.caller().user},
        [names](const std::string* current) -> result<std::optional<std::string>> {
            if (names.empty()) return std::string();
            const auto before = object_member(parse_document(current), "data");
            json::object data;
            json::array formula_names;
            for (const auto& name : names) {
                formula_names.emplace_back(name);
                if (const auto* existing = before.if_contains(name)) data[name] = *existing;
            }
            return json::serialize(
                json::object{{"formulas", std::move(formula_names)}, {"data", std::move(data)}});
        });
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return method_response{1};
}

async<method_response> formula_methods::get_data(call call) {
    CO_TRY(const auto group, co_await find_group(call, "groupId"));
    const auto data = object_member(read_formulas(deps_.configuration.records, group), "data");
    co_return method_response{api::from_json(object_member(data, call.text("formulaName")))};
}

async<method_response> formula_methods::set_data(call call) {
    CO_TRY(const auto group, co_await find_group(call, "groupId"));
    const auto formula = call.text("formulaName");
    call.set_subject(group + ": " + formula);
    auto content = api::to_json(*call.arguments().find("content"));
    auto work = deps_.configuration.records.alter(
        {.kind = std::string(configuration::kinds::formulas),
         .name = group,
         .by = call.caller().user},
        [formula, content = std::move(content)](
            const std::string* current) -> result<std::optional<std::string>> {
            auto document = parse_document(current);
            const auto* names = document.if_contains("formulas");
            const json::value wanted_name(formula);
            const bool has_formula =
                names != nullptr && names->is_array()
                && std::ranges::find(names->get_array(), wanted_name) != names->get_array().end();
            if (!has_formula) return fail(errc::invalid, "formula is not assigned to the group");
            auto data = object_member(document, "data");
            data[formula] = content;
            document["data"] = std::move(data);
            return json::serialize(document);
        });
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return method_response{1};
}

}  // namespace muster::xmlrpc_api
