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
using configuration::record_book;
using api::engine_patience;

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

record_book::deed deed_of(const call& asked) {
    asked.set_subject(asked.text("keyLabel"));
    return {
        .kind = std::string(configuration::kinds::custom_key),
        .name = asked.text("keyLabel"),
        .by = asked.who().user};
}

std::string key_document(std::int64_t number, const std::string& description) {
    return json::serialize(json::object{{"number", number}, {"description", description}});
}

std::unexpected<error> no_key(const std::string& label) {
    return fail(errc::not_found, fmt::format("There is no custom information key {}", label));
}

// A member's value as text: clients send numbers and flags, too.
result<std::string> text_of(const member& given) {
    if (const auto* text = given.of.get<std::string>()) return *text;
    if (const auto* number = given.of.get<std::int64_t>()) return std::to_string(*number);
    if (const auto* flag = given.of.get<bool>()) return *flag ? "true" : "false";
    return fail(errc::invalid, fmt::format("`{}`: a text is wanted", given.name));
}

}  // namespace

result<void> custom_info_methods::declare(method_book& to) {
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

async<answer> custom_info_methods::list_keys(call asked) {
    CO_TRY(const auto seen, around_.view.meant(asked));
    value::list made;
    const auto keys = around_.kept.records.of(configuration::kinds::custom_key);
    for (const auto& [label, each] : *keys) {
        CO_TRY(auto members, runtime::json_record_reader::of("custom key", each.document));
        const auto having = around_.kept.profiles.with_value(label);
        made.push_back(value::record{
            {"id", members.integer("number")},
            {"label", label},
            {"description", members.text("description")},
            {"system_count", static_cast<std::int64_t>(having.common_with(seen))},
            {"last_modified", each.changed}});
    }
    co_return answer{std::move(made)};
}

async<answer> custom_info_methods::create_key(call asked) {
    auto counting = configuration::next_number(around_.kept.numbers, counter);
    CO_TRY(const auto number, co_await within(around_.time, engine_patience, std::move(counting)));
    auto document = key_document(number, asked.text("keyDescription"));
    auto work = around_.kept.records.alter(
        deed_of(asked),
        [document =
             std::move(document)](const std::string* now) -> result<std::optional<std::string>> {
            if (now != nullptr) return fail(errc::conflict, "there is a key of this label already");
            return document;
        });
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(work)));
    co_return answer{1};
}

async<answer> custom_info_methods::update_key(call asked) {
    auto work = around_.kept.records.alter(
        deed_of(asked),
        [label = asked.text("keyLabel"), description = asked.text("keyDescription")](
            const std::string* now) -> result<std::optional<std::string>> {
            if (now == nullptr) return no_key(label);
            TRY(auto members, runtime::json_record_reader::of("custom key", *now));
            return key_document(members.integer("number"), description);
        });
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(work)));
    co_return answer{1};
}

async<void> custom_info_methods::drop_values(std::string label, std::string by) const {
    const auto having = around_.kept.profiles.with_value(label);
    const auto drop = [label](fleet::system_profile& one) -> result<void> {
        one.values.erase(label);
        return {};
    };
    for (auto from = system_number(0);;) {
        const auto some = having.page(from, fleet::profile_book::systems_max);
        if (some.empty()) break;
        CO_CHECK_OK(co_await around_.kept.profiles.change(some, drop, by));
        from = some.back().next();
    }
    co_return result<void>();
}

// The values first: while they go, nobody makes the key anew.
async<answer> custom_info_methods::delete_key(call asked) {
    const auto deed = deed_of(asked);
    CO_CHECK_OK(check_key(deed.name));
    constexpr auto patience = std::chrono::seconds(25);
    auto dropping = drop_values(deed.name, deed.by);
    CO_CHECK_OK(co_await within(around_.time, patience, std::move(dropping)));
    auto work = around_.kept.records.alter(
        deed, [label = deed.name](const std::string* now) -> result<std::optional<std::string>> {
            if (now == nullptr) return no_key(label);
            return std::string();
        });
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(work)));
    co_return answer{1};
}

result<void> custom_info_methods::check_key(const std::string& label) const {
    if (around_.kept.records.find(configuration::kinds::custom_key, label)) return {};
    return no_key(label);
}

async<answer> custom_info_methods::get_values(call asked) {
    CO_TRY(const auto found, around_.view.find(asked, asked.integer("sid")));
    auto work = around_.kept.profiles.read_one(found.number);
    CO_TRY(const auto profile, co_await within(around_.time, engine_patience, std::move(work)));
    value::record made;
    for (const auto& [label, text] : profile.values) made.push_back({label, text});
    co_return answer{std::move(made)};
}

async<answer> custom_info_methods::set_values(call asked) {
    CO_TRY(const auto found, around_.view.find(asked, asked.integer("sid")));
    asked.set_subject(found.name);
    std::map<std::string, std::string> wanted;
    for (const auto& each : *asked.arguments().find("values")->get<value::record>()) {
        CO_CHECK_OK(check_key(each.name));
        CO_TRY(wanted[each.name], text_of(each));
    }
    auto work = around_.kept.profiles.change(
        {found.number},
        [wanted](fleet::system_profile& one) -> result<void> {
            for (const auto& [label, text] : wanted) one.values.insert_or_assign(label, text);
            return {};
        },
        asked.who().user);
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(work)));
    co_return answer{1};
}

async<answer> custom_info_methods::delete_values(call asked) {
    CO_TRY(const auto found, around_.view.find(asked, asked.integer("sid")));
    const auto gone = labels_in(asked, "keys");
    asked.set_subject(fmt::format("{}: {}", found.name, fmt::join(gone, " ")));
    for (const auto& each : gone) {
        CO_CHECK_OK(check_key(each));
    }
    auto work = around_.kept.profiles.change(
        {found.number},
        [gone](fleet::system_profile& one) -> result<void> {
            for (const auto& each : gone) one.values.erase(each);
            return {};
        },
        asked.who().user);
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(work)));
    co_return answer{1};
}

}  // namespace muster::xmlrpc_api
