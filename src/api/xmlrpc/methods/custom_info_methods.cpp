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

constexpr std::int64_t undefined_keys = 1000;
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

config_record_store::record_change deed_of(const call& call) {
    call.set_subject(call.text("keyLabel"));
    return {
        .kind = std::string(configuration::kinds::custom_key),
        .name = call.text("keyLabel"),
        .by = call.who().user};
}

std::string key_document(std::int64_t number, const std::string& description) {
    return json::serialize(json::object{{"number", number}, {"description", description}});
}

std::unexpected<error> no_key(const std::string& label) {
    return fail(errc::not_found, fmt::format("There is no custom information key {}", label));
}

// A member's value as text: clients send numbers and flags, too.
result<std::string> text_of(const member& member) {
    if (const auto* text = member.of.get<std::string>()) return *text;
    if (const auto* number = member.of.get<std::int64_t>()) return std::to_string(*number);
    if (const auto* flag = member.of.get<bool>()) return *flag ? "true" : "false";
    return fail(errc::invalid, fmt::format("`{}`: a text is wanted", member.name));
}

}  // namespace

result<void> custom_info_methods::declare(method_registry& to) {
    using self = custom_info_methods;
    const fault_codes values{.not_found = undefined_keys};
    CHECK_OK(to.add(
        {asking("system.custominfo.listAllKeys", "The keys", {}, list_of(anything())),
         done_by(this, &self::list_keys)}));
    CHECK_OK(to.add(
        {changing(
             "system.custominfo.createKey",
             "Makes a key",
             {key_label(), key_description()},
             right::common_edit),
         done_by(this, &self::create_key)}));
    CHECK_OK(to.add(
        {changing(
             "system.custominfo.updateKey",
             "Describes a key anew",
             {key_label(), key_description()},
             right::common_edit),
         done_by(this, &self::update_key)}));
    CHECK_OK(to.add(
        {changing(
             "system.custominfo.deleteKey",
             "Removes a key, and the values that systems have for it",
             {key_label()},
             right::common_edit),
         done_by(this, &self::delete_key)}));
    CHECK_OK(to.add(
        {asking(
             "system.getCustomValues", "A system's values by key", {one_system()}, some_struct()),
         done_by(this, &self::get_values)}));
    CHECK_OK(to.add(
        {changing_systems(
             "system.setCustomValues",
             "Gives a system values; others stay",
             {one_system(), argument("values", some_struct())}),
         done_by(this, &self::set_values),
         values}));
    return to.add(
        {changing_systems(
             "system.deleteCustomValues",
             "Takes values away from a system",
             {one_system(), labels("keys")}),
         done_by(this, &self::delete_values),
         values});
}

async<answer> custom_info_methods::list_keys(call call) {
    CO_TRY(const auto observed, deps_.view.meant(call));
    value::list list;
    const auto keys = deps_.configuration.records.of(configuration::kinds::custom_key);
    for (const auto& [label, each] : *keys) {
        CO_TRY(auto members, runtime::json_record_reader::of("custom key", each.document));
        const auto having = deps_.configuration.profiles.with_value(label);
        list.push_back(value::record{
            {"id", members.integer("number")},
            {"label", label},
            {"description", members.text("description")},
            {"system_count", static_cast<std::int64_t>(having.common_with(observed))},
            {"last_modified", each.changed}});
    }
    co_return answer{std::move(list)};
}

async<answer> custom_info_methods::create_key(call call) {
    auto counting = configuration::next_number(deps_.configuration.numbers, counter);
    CO_TRY(const auto number, co_await within(deps_.clock, engine_timeout, std::move(counting)));
    auto document = key_document(number, call.text("keyDescription"));
    auto work = deps_.configuration.records.alter(
        deed_of(call),
        [document =
             std::move(document)](const std::string* now) -> result<std::optional<std::string>> {
            if (now != nullptr) return fail(errc::conflict, "there is a key of this label already");
            return document;
        });
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return answer{1};
}

async<answer> custom_info_methods::update_key(call call) {
    auto work = deps_.configuration.records.alter(
        deed_of(call),
        [label = call.text("keyLabel"), description = call.text("keyDescription")](
            const std::string* now) -> result<std::optional<std::string>> {
            if (now == nullptr) return no_key(label);
            TRY(auto members, runtime::json_record_reader::of("custom key", *now));
            return key_document(members.integer("number"), description);
        });
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return answer{1};
}

async<void> custom_info_methods::drop_values(std::string label, std::string by) const {
    const auto having = deps_.configuration.profiles.with_value(label);
    const auto drop = [label](fleet::system_profile& system_profile) -> result<void> {
        system_profile.values.erase(label);
        return {};
    };
    for (auto from = system_number(0);;) {
        const auto some = having.page(from, fleet::system_profile_store::systems_max);
        if (some.empty()) break;
        CO_CHECK_OK(co_await deps_.configuration.profiles.change(some, drop, by));
        from = some.back().next();
    }
    co_return result<void>();
}

// The values first: while they go, nobody makes the key anew.
async<answer> custom_info_methods::delete_key(call call) {
    const auto method_body = deed_of(call);
    CO_CHECK_OK(check_key(method_body.name));
    constexpr auto timeout = std::chrono::seconds(25);
    auto dropping = drop_values(method_body.name, method_body.by);
    CO_CHECK_OK(co_await within(deps_.clock, timeout, std::move(dropping)));
    auto work = deps_.configuration.records.alter(
        method_body,
        [label = method_body.name](const std::string* now) -> result<std::optional<std::string>> {
            if (now == nullptr) return no_key(label);
            return std::string();
        });
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return answer{1};
}

result<void> custom_info_methods::check_key(const std::string& label) const {
    if (deps_.configuration.records.find(configuration::kinds::custom_key, label)) return {};
    return no_key(label);
}

async<answer> custom_info_methods::get_values(call call) {
    CO_TRY(const auto match, deps_.view.find(call, call.integer("sid")));
    auto work = deps_.configuration.profiles.read_one(match.number);
    CO_TRY(const auto profile, co_await within(deps_.clock, engine_timeout, std::move(work)));
    value::record record;
    for (const auto& [label, text] : profile.values) record.push_back({label, text});
    co_return answer{std::move(record)};
}

async<answer> custom_info_methods::set_values(call call) {
    CO_TRY(const auto match, deps_.view.find(call, call.integer("sid")));
    call.set_subject(match.name);
    std::map<std::string, std::string> desired;
    for (const auto& each : *call.arguments().find("values")->get<value::record>()) {
        CO_CHECK_OK(check_key(each.name));
        CO_TRY(desired[each.name], text_of(each));
    }
    auto work = deps_.configuration.profiles.change(
        {match.number},
        [desired](fleet::system_profile& system_profile) -> result<void> {
            for (const auto& [label, text] : desired)
                system_profile.values.insert_or_assign(label, text);
            return {};
        },
        call.who().user);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return answer{1};
}

async<answer> custom_info_methods::delete_values(call call) {
    CO_TRY(const auto match, deps_.view.find(call, call.integer("sid")));
    const auto gone = labels_in(call, "keys");
    call.set_subject(fmt::format("{}: {}", match.name, fmt::join(gone, " ")));
    for (const auto& each : gone) {
        CO_CHECK_OK(check_key(each));
    }
    auto work = deps_.configuration.profiles.change(
        {match.number},
        [gone](fleet::system_profile& system_profile) -> result<void> {
            for (const auto& each : gone) system_profile.values.erase(each);
            return {};
        },
        call.who().user);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return answer{1};
}

}  // namespace muster::xmlrpc_api
