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

constexpr std::int64_t name_too_short = 1060;
constexpr std::int64_t name_too_long = 1061;
constexpr std::size_t name_letters_min = 3;
constexpr std::array places{
    "address1", "address2", "city", "state", "country", "building", "room", "rack"};

}  // namespace

result<void> system_profile_methods::declare_notes(method_registry& to) {
    using self = system_profile_methods;
    CHECK_OK(to.add(
        {asking(
             "system.listNotes", "The notes about a system", {one_system()}, list_of(anything())),
         done_by(this, &self::list_notes)}));
    CHECK_OK(to.add(
        {changing_systems(
             "system.addNote",
             "Writes a note about a system",
             {one_system(), argument("subject", text()), argument("body", text())}),
         done_by(this, &self::add_note)}));
    CHECK_OK(to.add(
        {changing_systems(
             "system.deleteNote",
             "Removes a note",
             {one_system(), argument("noteId", integer(1, INT32_MAX))}),
         done_by(this, &self::delete_note)}));
    return to.add(
        {changing_systems("system.deleteNotes", "Removes all notes about a system", {one_system()}),
         done_by(this, &self::delete_notes)});
}

result<void> system_profile_methods::declare_entitlements(method_registry& to) {
    using self = system_profile_methods;
    CHECK_OK(to.add(
        {asking("system.getEntitlements", "What a system is for", {one_system()}, list_of(text())),
         done_by(this, &self::get_entitlements)}));
    const auto some = argument("entitlements", entitlement_list());
    CHECK_OK(to.add(
        {changing_systems("system.addEntitlements", "Adds to what it is for", {one_system(), some}),
         done_by(this, &self::add_entitlements)}));
    return to.add(
        {changing_systems(
             "system.removeEntitlements", "Takes from what it is for", {one_system(), some}),
         done_by(this, &self::remove_entitlements)});
}

result<void> system_profile_methods::declare(method_registry& to) {
    using self = system_profile_methods;
    CHECK_OK(declare_notes(to));
    CHECK_OK(declare_entitlements(to));
    CHECK_OK(to.add(
        {changing_systems(
             "system.setDetails",
             "Writes down what is given about a system",
             {one_system(), argument("details", some_struct())}),
         done_by(this, &self::set_details)}));
    CHECK_OK(to.add(
        {changing_systems(
             "system.setProfileName",
             "Gives a system a name for people; its own stays",
             {one_system(), argument("name", text())}),
         done_by(this, &self::set_name),
         {.conflict = name_too_short, .invalid = name_too_long}}));
    CHECK_OK(to.add(
        {changing_systems(
             "system.setLockStatus",
             "Locks a system, or unlocks it",
             {one_system(), argument("lockStatus", flag_or_number())}),
         done_by(this, &self::set_lock)}));
    CHECK_OK(to.add(
        {asking(
             "system.listActivationKeys",
             "The key by which a system came in",
             {one_system()},
             list_of(text())),
         done_by(this, &self::list_activation_keys)}));
    auto pillar = changing_systems(
        "system.refreshPillar",
        "There is no stored pillar to refresh",
        {some_systems()},
        list_of(integer(1)));
    CHECK_OK(to.add({pillar, done_by(this, &self::refresh_pillar)}));
    pillar.takes.insert(pillar.takes.begin(), argument("subset", text()));
    return to.add({std::move(pillar), done_by(this, &self::refresh_pillar)});
}

async<system_profile> system_profile_methods::profile_in(call call) const {
    CO_TRY(const auto match, deps_.view.find(call, call.integer("sid")));
    auto work = deps_.configuration.profiles.read_one(match.number);
    co_return co_await within(deps_.clock, engine_timeout, std::move(work));
}

async<answer> system_profile_methods::change(
    call call, fleet::system_profile_store::alteration alteration) const {
    CO_TRY(const auto match, deps_.view.find(call, call.integer("sid")));
    call.set_subject(match.name);
    auto work =
        deps_.configuration.profiles.change({match.number}, std::move(alteration), call.who().user);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return answer{1};
}

async<answer> system_profile_methods::set_details(call call) {
    struct_reader struct_reader(call, "details");
    const auto name = struct_reader.text("profile_name");
    const auto description = struct_reader.text("description");
    const auto update = struct_reader.flag("auto_errata_update");
    const auto contact = struct_reader.text("contact_method");
    std::map<std::string, std::string> where;
    for (const auto* each : places) {
        if (auto text = struct_reader.text(each)) where[each] = *std::move(text);
    }
    CO_CHECK_OK(struct_reader.finish());
    if (contact) {
        CO_CHECK_OK(check_contact_method(*contact));
    }
    co_return co_await change(std::move(call), [=](system_profile& system_profile) -> result<void> {
        if (name) system_profile.name = *name;
        if (description) system_profile.description = *description;
        if (update) system_profile.auto_update = *update;
        if (contact) system_profile.contact_method = *contact;
        for (const auto& [place, text] : where) system_profile.place.insert_or_assign(place, text);
        return {};
    });
}

async<answer> system_profile_methods::set_name(call call) {
    const auto name = call.text("name");
    if (name.size() < name_letters_min)
        co_return fail(errc::conflict, "a system's name has at least 3 letters");
    co_return co_await change(
        std::move(call), [name](system_profile& system_profile) -> result<void> {
            system_profile.name = name;
            return {};
        });
}

async<answer> system_profile_methods::set_lock(call call) {
    const bool locked = flag_in(call, "lockStatus");
    co_return co_await change(
        std::move(call), [locked](system_profile& system_profile) -> result<void> {
            system_profile.locked = locked;
            return {};
        });
}

async<answer> system_profile_methods::list_notes(call call) {
    CO_TRY(const auto profile, co_await profile_in(call));
    value::list list;
    for (const auto& note : profile.notes) {
        list.push_back(value::record{
            {"id", note.number},
            {"subject", note.subject},
            {"note", note.text},
            {"system_id", profile.system.value()},
            {"creator", note.by},
            {"updated", note.at}});
    }
    co_return answer{std::move(list)};
}

async<answer> system_profile_methods::add_note(call call) {
    system_profile::note note{
        .subject = call.text("subject"), .text = call.text("body"), .by = call.who().user};
    note.at = deps_.clock.wall();
    co_return co_await change(
        std::move(call), [note](system_profile& system_profile) -> result<void> {
            auto next = note;
            next.number = ++system_profile.last_note;
            system_profile.notes.push_back(std::move(next));
            return {};
        });
}

async<answer> system_profile_methods::delete_note(call call) {
    const auto number = call.integer("noteId");
    co_return co_await change(
        std::move(call), [number](system_profile& system_profile) -> result<void> {
            const auto gone = std::erase_if(
                system_profile.notes, [number](const auto& each) { return each.number == number; });
            if (gone == 0) return fail(errc::not_found, fmt::format("There is no note {}", number));
            return {};
        });
}

async<answer> system_profile_methods::delete_notes(call call) {
    co_return co_await change(std::move(call), [](system_profile& system_profile) -> result<void> {
        system_profile.notes.clear();
        return {};
    });
}

async<answer> system_profile_methods::get_entitlements(call call) {
    CO_TRY(const auto profile, co_await profile_in(call));
    value::list list;
    list.emplace_back(base_entitlement);
    for (const auto& entitlement : profile.entitlements) list.emplace_back(entitlement);
    co_return answer{std::move(list)};
}

async<answer> system_profile_methods::add_entitlements(call call) {
    const auto some = labels_in(call, "entitlements");
    co_return co_await change(
        std::move(call), [some](system_profile& system_profile) -> result<void> {
            system_profile.entitlements =
                with_entitlements(std::move(system_profile.entitlements), some);
            return {};
        });
}

async<answer> system_profile_methods::remove_entitlements(call call) {
    const auto some = labels_in(call, "entitlements");
    co_return co_await change(
        std::move(call), [some](system_profile& system_profile) -> result<void> {
            system_profile.entitlements =
                without_words(std::move(system_profile.entitlements), some);
            return {};
        });
}

// Who knows a key brings systems in, so it is shown to those who may do so anyway.
async<answer> system_profile_methods::list_activation_keys(call call) {
    CO_TRY(const auto profile, co_await profile_in(call));
    value::list list;
    const bool may = call.who().may.everywhere(right::keys_decide);
    if (may && !profile.activation_key.empty()) list.emplace_back(profile.activation_key);
    co_return answer{std::move(list)};
}

async<answer> system_profile_methods::refresh_pillar(call call) {
    CO_CHECK_OK(deps_.view.find_all(call));
    co_return answer{value::list()};
}

}  // namespace muster::xmlrpc_api
