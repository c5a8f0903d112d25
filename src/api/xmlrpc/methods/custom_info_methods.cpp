#include "api/xmlrpc/methods/custom_info_methods.h"

#include "ports/deadline.h"
#include "runtime/json/record_reader.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

namespace json = boost::json;
using namespace api;
using access::right;
using api::engine_timeout;
using configuration::config_record_store;

constexpr std::int64_t unknown_key_fault = 1000;
constexpr std::int64_t label_bytes_max = 64;
constexpr std::int64_t description_bytes_max = 4'000;
constexpr const char* counter = "counters/custom-keys";

shape label_shape() {
    return text(label_bytes_max).with_bounds(1, label_bytes_max);
}

parameter key_label() {
    return argument("keyLabel", label_shape());
}

parameter key_description() {
    return argument("keyDescription", text(description_bytes_max));
}

config_record_store::record_change key_change(const call& call) {
    call.set_subject(call.text("keyLabel"));
    return {
        .kind = std::string(configuration::kinds::custom_key),
        .name = call.text("keyLabel"),
        .by = call.caller().user};
}

std::string key_document(std::int64_t number, const std::string& description) {
    return json::serialize(json::object{{"number", number}, {"description", description}});
}

std::unexpected<error> key_not_found(const std::string& label) {
    return fail(errc::not_found, fmt::format("custom information key \"{}\" not found", label));
}

// A member's value as text: clients also send numbers and flags.
result<std::string> text_of(const member& member) {
    if (const auto* text = member.of.get<std::string>()) return *text;
    if (const auto* number = member.of.get<std::int64_t>()) return std::to_string(*number);
    if (const auto* flag = member.of.get<bool>()) return *flag ? "true" : "false";
    return fail(errc::invalid, fmt::format("`{}`: string required", member.name));
}

}  // namespace

result<void> custom_info_methods::declare(method_registry& registry) {
    using self = custom_info_methods;
    const fault_codes values{.not_found = unknown_key_fault};
    CHECK_OK(registry.add(
        {read_method(
             "system.custominfo.listAllKeys",
             "List custom information keys",
             {},
             list_of(anything())),
         handler(this, &self::list_keys)}));
    CHECK_OK(registry.add(
        {change_method(
             "system.custominfo.createKey",
             "Create a custom information key",
             {key_label(), key_description()},
             right::common_edit),
         handler(this, &self::create_key)}));
    CHECK_OK(registry.add(
        {change_method(
             "system.custominfo.updateKey",
             "Update the description of a key",
             {key_label(), key_description()},
             right::common_edit),
         handler(this, &self::update_key)}));
    CHECK_OK(registry.add(
        {change_method(
             "system.custominfo.deleteKey",
             "Delete a key and its values on all systems",
             {key_label()},
             right::common_edit),
         handler(this, &self::delete_key)}));
    CHECK_OK(registry.add(
        {read_method(
             "system.getCustomValues",
             "Get the custom values of a system",
             {system_parameter()},
             struct_shape()),
         handler(this, &self::get_values)}));
    CHECK_OK(registry.add(
        {systems_change_method(
             "system.setCustomValues",
             "Set custom values of a system; other values stay",
             {system_parameter(), argument("values", struct_shape())}),
         handler(this, &self::set_values),
         values}));
    return registry.add(
        {systems_change_method(
             "system.deleteCustomValues",
             "Delete custom values of a system",
             {system_parameter(), labels_parameter("keys")}),
         handler(this, &self::delete_values),
         values});
}

async<method_response> custom_info_methods::list_keys(call call) {
    CO_TRY(const auto visible, deps_.fleet.find_systems(call));
    value::list list;
    const auto keys = deps_.configuration.records.all_of(configuration::kinds::custom_key);
    for (const auto& [label, key] : *keys) {
        CO_TRY(auto members, runtime::json_record_reader::parse("custom key", key.document));
        const auto systems = deps_.configuration.profiles.with_value(label);
        list.push_back(value::record{
            {"id", members.integer("number")},
            {"label", label},
            {"description", members.text("description")},
            {"system_count", static_cast<std::int64_t>(systems.common_with(visible))},
            {"last_modified", key.changed}});
    }
    co_return method_response{std::move(list)};
}

async<method_response> custom_info_methods::create_key(call call) {
    auto count = configuration::next_number(deps_.configuration.numbers, counter);
    CO_TRY(const auto number, co_await within(deps_.clock, engine_timeout, std::move(count)));
    auto document = key_document(number, call.text("keyDescription"));
    auto work = deps_.configuration.records.alter(
        key_change(call),
        [document = std::move(document)](
            const std::string* current) -> result<std::optional<std::string>> {
            if (current != nullptr)
                return fail(
                    errc::conflict, "custom information key with this label already exists");
            return document;
        });
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return method_response{1};
}

async<method_response> custom_info_methods::update_key(call call) {
    auto work = deps_.configuration.records.alter(
        key_change(call),
        [label = call.text("keyLabel"), description = call.text("keyDescription")](
            const std::string* current) -> result<std::optional<std::string>> {
            if (current == nullptr) return key_not_found(label);
            TRY(auto members, runtime::json_record_reader::parse("custom key", *current));
            return key_document(members.integer("number"), description);
        });
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return method_response{1};
}

async<void> custom_info_methods::remove_values(std::string label, std::string user) const {
    const auto systems = deps_.configuration.profiles.with_value(label);
    const auto remove_value = [label](fleet::system_profile& profile) -> result<void> {
        profile.values.erase(label);
        return {};
    };
    for (auto next = system_number(0);;) {
        const auto page = systems.page(next, fleet::system_profile_store::systems_max);
        if (page.empty()) break;
        CO_CHECK_OK(co_await deps_.configuration.profiles.change(page, remove_value, user));
        next = page.back().next();
    }
    co_return result<void>();
}

// Removes the values first, so that nobody creates the key again meanwhile.
async<method_response> custom_info_methods::delete_key(call call) {
    const auto change = key_change(call);
    CO_CHECK_OK(check_key(change.name));
    constexpr auto timeout = std::chrono::seconds(25);
    auto removal = remove_values(change.name, change.by);
    CO_CHECK_OK(co_await within(deps_.clock, timeout, std::move(removal)));
    auto work = deps_.configuration.records.alter(
        change,
        [label = change.name](const std::string* current) -> result<std::optional<std::string>> {
            if (current == nullptr) return key_not_found(label);
            return std::string();
        });
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return method_response{1};
}

result<void> custom_info_methods::check_key(const std::string& label) const {
    if (deps_.configuration.records.find(configuration::kinds::custom_key, label)) return {};
    return key_not_found(label);
}

async<method_response> custom_info_methods::get_values(call call) {
    CO_TRY(const auto match, deps_.fleet.find(call, call.integer("sid")));
    auto work = deps_.configuration.profiles.read_one(match.number);
    CO_TRY(const auto profile, co_await within(deps_.clock, engine_timeout, std::move(work)));
    value::record record;
    for (const auto& [label, text] : profile.values) record.push_back({label, text});
    co_return method_response{std::move(record)};
}

async<method_response> custom_info_methods::set_values(call call) {
    CO_TRY(const auto match, deps_.fleet.find(call, call.integer("sid")));
    call.set_subject(match.name);
    std::map<std::string, std::string> values;
    for (const auto& member : *call.arguments().find("values")->get<value::record>()) {
        CO_CHECK_OK(check_key(member.name));
        CO_TRY(values[member.name], text_of(member));
    }
    auto work = deps_.configuration.profiles.change(
        {match.number},
        [values](fleet::system_profile& profile) -> result<void> {
            for (const auto& [label, text] : values) profile.values.insert_or_assign(label, text);
            return {};
        },
        call.caller().user);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return method_response{1};
}

async<method_response> custom_info_methods::delete_values(call call) {
    CO_TRY(const auto match, deps_.fleet.find(call, call.integer("sid")));
    const auto labels = read_labels(call, "keys");
    call.set_subject(fmt::format("{}: {}", match.name, fmt::join(labels, " ")));
    for (const auto& label : labels) {
        CO_CHECK_OK(check_key(label));
    }
    auto work = deps_.configuration.profiles.change(
        {match.number},
        [labels](fleet::system_profile& profile) -> result<void> {
            for (const auto& label : labels) profile.values.erase(label);
            return {};
        },
        call.caller().user);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return method_response{1};
}

}  // namespace muster::xmlrpc_api
