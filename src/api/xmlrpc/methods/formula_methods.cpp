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

constexpr std::int64_t group_unknown = 2201;
constexpr std::int64_t formulas_max = 100;

fault_codes codes() {
    return {.not_found = group_unknown};
}

// Formulas may hold what only few may know, and a group has no zone.
operation asking_of_all(operation operation) {
    operation.within = scope::cluster;
    return operation;
}

parameter group(const char* name) {
    return argument(name, integer(1, INT32_MAX));
}

// {"formulas": ["a"], "data": {"a": {…}}}; of a group without any, an empty object.
json::object stored(const std::string* document) {
    if (document == nullptr) return {};
    json::error_code failure;
    auto parsed = json::parse(*document, failure);
    return failure || !parsed.is_object() ? json::object() : std::move(parsed.as_object());
}

json::object kept_of(
    const configuration::config_record_store& config_record_store, const std::string& group) {
    const auto match = config_record_store.find(configuration::kinds::formulas, group);
    return stored(match ? &match->document : nullptr);
}

json::object member(const json::object& of, std::string_view name) {
    const auto* match = of.if_contains(json::string_view(name.data(), name.size()));
    return match != nullptr && match->is_object() ? match->get_object() : json::object();
}

}  // namespace

result<void> formula_methods::declare(method_registry& to) {
    using self = formula_methods;
    CHECK_OK(to.add(
        {asking_of_all(asking(
             "formula.getFormulasByGroupId",
             "The formulas of a group",
             {group("systemGroupId")},
             list_of(text()))),
         done_by(this, &self::list),
         codes()}));
    CHECK_OK(to.add(
        {changing(
             "formula.setFormulasOfGroup",
             "Gives a group these formulas",
             {group("systemGroupId"), argument("formulas", list_of(name(), formulas_max))},
             right::groups_change),
         done_by(this, &self::set),
         codes()}));
    CHECK_OK(to.add(
        {asking_of_all(asking(
             "formula.getGroupFormulaData",
             "A formula's data for a group",
             {group("groupId"), argument("formulaName", name())},
             anything())),
         done_by(this, &self::get_data),
         codes()}));
    return to.add(
        {changing(
             "formula.setGroupFormulaData",
             "Keeps a formula's data for a group",
             {group("groupId"),
              argument("formulaName", name()),
              argument("content", some_struct())},
             right::groups_change),
         done_by(this, &self::set_data),
         codes()});
}

async<std::string> formula_methods::group_in(call call, std::string argument) const {
    const auto number = call.integer(argument);
    auto finding = deps_.numbers.find(std::string(compatibility::numbered::group), number);
    auto match = co_await within(deps_.clock, engine_timeout, std::move(finding));
    if (!match && match.error().code() != errc::not_found) co_return fail(match.error());
    if (!match || !deps_.view.around().groups.current()->contains(match->name))
        co_return fail(errc::not_found, fmt::format("There is no system group {}", number));
    co_return std::move(match->name);
}

async<answer> formula_methods::list(call call) {
    CO_TRY(const auto group, co_await group_in(call, "systemGroupId"));
    const auto all = kept_of(deps_.configuration.records, group);
    value::list list;
    const auto* names = all.if_contains("formulas");
    if (names != nullptr && names->is_array()) {
        for (const auto& each : names->get_array())
            if (each.is_string()) list.emplace_back(json::value_to<std::string>(each));
    }
    co_return answer{std::move(list)};
}

// Data of a formula that the group does not have any more goes with it.
async<answer> formula_methods::set(call call) {
    CO_TRY(const auto group, co_await group_in(call, "systemGroupId"));
    const auto names = labels_in(call, "formulas");
    call.set_subject(fmt::format("{}: {}", group, fmt::join(names, " ")));
    auto work = deps_.configuration.records.alter(
        {.kind = std::string(configuration::kinds::formulas), .name = group, .by = call.who().user},
        [names](const std::string* now) -> result<std::optional<std::string>> {
            if (names.empty()) return std::string();
            const auto before = member(stored(now), "data");
            json::object data;
            json::array listed;
            for (const auto& name : names) {
                listed.emplace_back(name);
                if (const auto* kept = before.if_contains(name)) data[name] = *kept;
            }
            return json::serialize(
                json::object{{"formulas", std::move(listed)}, {"data", std::move(data)}});
        });
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return answer{1};
}

async<answer> formula_methods::get_data(call call) {
    CO_TRY(const auto group, co_await group_in(call, "groupId"));
    const auto data = member(kept_of(deps_.configuration.records, group), "data");
    co_return answer{api::from_json(member(data, call.text("formulaName")))};
}

async<answer> formula_methods::set_data(call call) {
    CO_TRY(const auto group, co_await group_in(call, "groupId"));
    const auto formula = call.text("formulaName");
    call.set_subject(group + ": " + formula);
    auto content = api::to_json(*call.arguments().find("content"));
    auto work = deps_.configuration.records.alter(
        {.kind = std::string(configuration::kinds::formulas), .name = group, .by = call.who().user},
        [formula, content = std::move(content)](
            const std::string* now) -> result<std::optional<std::string>> {
            auto all = stored(now);
            const auto* names = all.if_contains("formulas");
            const json::value desired(formula);
            const bool has =
                names != nullptr && names->is_array()
                && std::ranges::find(names->get_array(), desired) != names->get_array().end();
            if (!has) return fail(errc::invalid, "the group does not have this formula");
            auto data = member(all, "data");
            data[formula] = content;
            all["data"] = std::move(data);
            return json::serialize(all);
        });
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return answer{1};
}

}  // namespace muster::xmlrpc_api
