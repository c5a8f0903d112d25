#include "api/xmlrpc/methods/system_profile_methods.h"

#include "api/xmlrpc/methods/activation_key_format.h"
#include "api/xmlrpc/methods/entitlements.h"
#include "ports/deadline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;
using api::engine_timeout;
using fleet::system_profile;

constexpr std::int64_t short_name_fault = 1060;
constexpr std::int64_t long_name_fault = 1061;
constexpr std::size_t name_letters_min = 3;
constexpr std::array location_members{
    "address1", "address2", "city", "state", "country", "building", "room", "rack"};

}  // namespace

result<void> system_profile_methods::declare_notes(method_registry& registry) {
    using self = system_profile_methods;
    CHECK_OK(registry.add(
        {read_method(
             "system.listNotes",
             "List the notes of a system",
             {system_parameter()},
             list_of(anything())),
         handler(this, &self::list_notes)}));
    CHECK_OK(registry.add(
        {systems_change_method(
             "system.addNote",
             "Add a note to a system",
             {system_parameter(), argument("subject", text()), argument("body", text())}),
         handler(this, &self::add_note)}));
    CHECK_OK(registry.add(
        {systems_change_method(
             "system.deleteNote",
             "Delete a note",
             {system_parameter(), argument("noteId", integer(1, INT32_MAX))}),
         handler(this, &self::delete_note)}));
    return registry.add(
        {systems_change_method(
             "system.deleteNotes", "Delete all notes of a system", {system_parameter()}),
         handler(this, &self::delete_notes)});
}

result<void> system_profile_methods::declare_entitlements(method_registry& registry) {
    using self = system_profile_methods;
    CHECK_OK(registry.add(
        {read_method(
             "system.getEntitlements",
             "List the entitlements of a system",
             {system_parameter()},
             list_of(text())),
         handler(this, &self::get_entitlements)}));
    const auto entitlements = argument("entitlements", entitlement_list());
    CHECK_OK(registry.add(
        {systems_change_method(
             "system.addEntitlements",
             "Add entitlements to a system",
             {system_parameter(), entitlements}),
         handler(this, &self::add_entitlements)}));
    return registry.add(
        {systems_change_method(
             "system.removeEntitlements",
             "Remove entitlements from a system",
             {system_parameter(), entitlements}),
         handler(this, &self::remove_entitlements)});
}

result<void> system_profile_methods::declare(method_registry& registry) {
    using self = system_profile_methods;
    CHECK_OK(declare_notes(registry));
    CHECK_OK(declare_entitlements(registry));
    CHECK_OK(registry.add(
        {systems_change_method(
             "system.setDetails",
             "Update the details of a system",
             {system_parameter(), argument("details", struct_shape())}),
         handler(this, &self::set_details)}));
    CHECK_OK(registry.add(
        {systems_change_method(
             "system.setProfileName",
             "Set the display name of a system",
             {system_parameter(), argument("name", text())}),
         handler(this, &self::set_name),
         {.conflict = short_name_fault, .invalid = long_name_fault}}));
    CHECK_OK(registry.add(
        {systems_change_method(
             "system.setLockStatus",
             "Lock or unlock a system",
             {system_parameter(), argument("lockStatus", flag_or_number())}),
         handler(this, &self::set_lock)}));
    CHECK_OK(registry.add(
        {read_method(
             "system.listActivationKeys",
             "Get the activation key of a system",
             {system_parameter()},
             list_of(text())),
         handler(this, &self::list_activation_keys)}));
    auto pillar = systems_change_method(
        "system.refreshPillar",
        "No effect; pillar data is not stored",
        {systems_parameter()},
        list_of(integer(1)));
    CHECK_OK(registry.add({pillar, handler(this, &self::refresh_pillar)}));
    pillar.takes.insert(pillar.takes.begin(), argument("subset", text()));
    return registry.add({std::move(pillar), handler(this, &self::refresh_pillar)});
}

async<system_profile> system_profile_methods::read_profile(call call) const {
    CO_TRY(const auto match, deps_.fleet.find(call, call.integer("sid")));
    auto work = deps_.configuration.profiles.read_one(match.number);
    co_return co_await within(deps_.clock, engine_timeout, std::move(work));
}

async<method_response> system_profile_methods::change(
    call call, fleet::system_profile_store::update_function alteration) const {
    CO_TRY(const auto match, deps_.fleet.find(call, call.integer("sid")));
    call.set_subject(match.name);
    auto work = deps_.configuration.profiles.change(
        {match.number}, std::move(alteration), call.caller().user);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return method_response{1};
}

async<method_response> system_profile_methods::set_details(call call) {
    struct_reader reader(call, "details");
    const auto name = reader.text("profile_name");
    const auto description = reader.text("description");
    const auto auto_update = reader.flag("auto_errata_update");
    const auto contact = reader.text("contact_method");
    std::map<std::string, std::string> location;
    for (const auto* member : location_members) {
        if (auto text = reader.text(member)) location[member] = *std::move(text);
    }
    CO_CHECK_OK(reader.finish());
    if (contact) {
        CO_CHECK_OK(check_contact_method(*contact));
    }
    co_return co_await change(std::move(call), [=](system_profile& profile) -> result<void> {
        if (name) profile.name = *name;
        if (description) profile.description = *description;
        if (auto_update) profile.auto_update = *auto_update;
        if (contact) profile.contact_method = *contact;
        for (const auto& [member, text] : location) profile.place.insert_or_assign(member, text);
        return {};
    });
}

async<method_response> system_profile_methods::set_name(call call) {
    const auto name = call.text("name");
    if (name.size() < name_letters_min)
        co_return fail(errc::conflict, "system name must have at least 3 characters");
    co_return co_await change(std::move(call), [name](system_profile& profile) -> result<void> {
        profile.name = name;
        return {};
    });
}

async<method_response> system_profile_methods::set_lock(call call) {
    const bool locked = read_flag(call, "lockStatus");
    co_return co_await change(std::move(call), [locked](system_profile& profile) -> result<void> {
        profile.locked = locked;
        return {};
    });
}

async<method_response> system_profile_methods::list_notes(call call) {
    CO_TRY(const auto profile, co_await read_profile(call));
    value::list list;
    for (const auto& note : profile.notes) {
        list.push_back(value::record{
            {"id", note.number},
            {"subject", note.subject},
            {"note", note.text},
            {"system_id", profile.system.value()},
            {"creator", note.user},
            {"updated", note.time}});
    }
    co_return method_response{std::move(list)};
}

async<method_response> system_profile_methods::add_note(call call) {
    system_profile::note note{
        .subject = call.text("subject"), .text = call.text("body"), .user = call.caller().user};
    note.time = deps_.clock.wall();
    co_return co_await change(std::move(call), [note](system_profile& profile) -> result<void> {
        auto added = note;
        added.number = ++profile.last_note;
        profile.notes.push_back(std::move(added));
        return {};
    });
}

async<method_response> system_profile_methods::delete_note(call call) {
    const auto number = call.integer("noteId");
    co_return co_await change(std::move(call), [number](system_profile& profile) -> result<void> {
        const auto removed = std::erase_if(
            profile.notes, [number](const auto& note) { return note.number == number; });
        if (removed == 0)
            return fail(errc::not_found, fmt::format("note \"{}\" not found", number));
        return {};
    });
}

async<method_response> system_profile_methods::delete_notes(call call) {
    co_return co_await change(std::move(call), [](system_profile& profile) -> result<void> {
        profile.notes.clear();
        return {};
    });
}

async<method_response> system_profile_methods::get_entitlements(call call) {
    CO_TRY(const auto profile, co_await read_profile(call));
    value::list list;
    list.emplace_back(base_entitlement);
    for (const auto& entitlement : profile.entitlements) list.emplace_back(entitlement);
    co_return method_response{std::move(list)};
}

async<method_response> system_profile_methods::add_entitlements(call call) {
    const auto entitlements = read_labels(call, "entitlements");
    co_return co_await change(
        std::move(call), [entitlements](system_profile& profile) -> result<void> {
            profile.entitlements =
                merge_entitlements(std::move(profile.entitlements), entitlements);
            return {};
        });
}

async<method_response> system_profile_methods::remove_entitlements(call call) {
    const auto entitlements = read_labels(call, "entitlements");
    co_return co_await change(
        std::move(call), [entitlements](system_profile& profile) -> result<void> {
            profile.entitlements = remove_words(std::move(profile.entitlements), entitlements);
            return {};
        });
}

// A key lets systems enrol, so it is shown only to callers who may decide about keys.
async<method_response> system_profile_methods::list_activation_keys(call call) {
    CO_TRY(const auto profile, co_await read_profile(call));
    value::list list;
    const bool may_decide = call.caller().may.everywhere(right::keys_decide);
    if (may_decide && !profile.activation_key.empty()) list.emplace_back(profile.activation_key);
    co_return method_response{std::move(list)};
}

async<method_response> system_profile_methods::refresh_pillar(call call) {
    CO_CHECK_OK(deps_.fleet.find_all(call));
    co_return method_response{value::list()};
}

}  // namespace muster::xmlrpc_api
