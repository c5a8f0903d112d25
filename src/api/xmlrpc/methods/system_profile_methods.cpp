#include "api/xmlrpc/methods/system_profile_methods.h"

#include "ports/deadline.h"
#include "api/xmlrpc/methods/activation_words.h"
#include "api/xmlrpc/methods/entitlements.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;
using fleet::system_profile;
using api::engine_patience;

constexpr std::int64_t name_too_short = 1060;
constexpr std::int64_t name_too_long = 1061;
constexpr std::size_t name_letters_min = 3;
constexpr std::array places{
    "address1", "address2", "city", "state", "country", "building", "room", "rack"};

}  // namespace

result<void> system_profile_methods::declare_notes(method_book& to) {
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

result<void> system_profile_methods::declare_entitlements(method_book& to) {
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

result<void> system_profile_methods::declare(method_book& to) {
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

async<system_profile> system_profile_methods::profile_in(call asked) const {
    CO_TRY(const auto found, around_.view.find(asked, asked.integer("sid")));
    auto work = around_.kept.profiles.read_one(found.number);
    co_return co_await within(around_.time, engine_patience, std::move(work));
}

async<answer> system_profile_methods::change(
    call asked, fleet::profile_book::alteration how) const {
    CO_TRY(const auto found, around_.view.find(asked, asked.integer("sid")));
    asked.set_subject(found.name);
    auto work = around_.kept.profiles.change({found.number}, std::move(how), asked.who().user);
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(work)));
    co_return answer{1};
}

async<answer> system_profile_methods::set_details(call asked) {
    struct_reader given(asked, "details");
    const auto name = given.text("profile_name");
    const auto description = given.text("description");
    const auto update = given.flag("auto_errata_update");
    const auto contact = given.text("contact_method");
    std::map<std::string, std::string> where;
    for (const auto* each : places) {
        if (auto text = given.text(each)) where[each] = *std::move(text);
    }
    CO_CHECK_OK(given.finish());
    if (contact) {
        CO_CHECK_OK(check_contact_method(*contact));
    }
    co_return co_await change(std::move(asked), [=](system_profile& one) -> result<void> {
        if (name) one.name = *name;
        if (description) one.description = *description;
        if (update) one.auto_update = *update;
        if (contact) one.contact_method = *contact;
        for (const auto& [place, text] : where) one.place.insert_or_assign(place, text);
        return {};
    });
}

async<answer> system_profile_methods::set_name(call asked) {
    const auto name = asked.text("name");
    if (name.size() < name_letters_min)
        co_return fail(errc::conflict, "a system's name has at least 3 letters");
    co_return co_await change(std::move(asked), [name](system_profile& one) -> result<void> {
        one.name = name;
        return {};
    });
}

async<answer> system_profile_methods::set_lock(call asked) {
    const bool locked = flag_in(asked, "lockStatus");
    co_return co_await change(std::move(asked), [locked](system_profile& one) -> result<void> {
        one.locked = locked;
        return {};
    });
}

async<answer> system_profile_methods::list_notes(call asked) {
    CO_TRY(const auto profile, co_await profile_in(asked));
    value::list made;
    for (const auto& each : profile.notes) {
        made.push_back(value::record{
            {"id", each.number},
            {"subject", each.subject},
            {"note", each.text},
            {"system_id", profile.system.value()},
            {"creator", each.by},
            {"updated", each.at}});
    }
    co_return answer{std::move(made)};
}

async<answer> system_profile_methods::add_note(call asked) {
    system_profile::note wanted{
        .subject = asked.text("subject"), .text = asked.text("body"), .by = asked.who().user};
    wanted.at = around_.time.wall();
    co_return co_await change(std::move(asked), [wanted](system_profile& one) -> result<void> {
        auto next = wanted;
        next.number = ++one.last_note;
        one.notes.push_back(std::move(next));
        return {};
    });
}

async<answer> system_profile_methods::delete_note(call asked) {
    const auto number = asked.integer("noteId");
    co_return co_await change(std::move(asked), [number](system_profile& one) -> result<void> {
        const auto gone =
            std::erase_if(one.notes, [number](const auto& each) { return each.number == number; });
        if (gone == 0) return fail(errc::not_found, fmt::format("There is no note {}", number));
        return {};
    });
}

async<answer> system_profile_methods::delete_notes(call asked) {
    co_return co_await change(std::move(asked), [](system_profile& one) -> result<void> {
        one.notes.clear();
        return {};
    });
}

async<answer> system_profile_methods::get_entitlements(call asked) {
    CO_TRY(const auto profile, co_await profile_in(asked));
    value::list made;
    made.emplace_back(base_entitlement);
    for (const auto& each : profile.entitlements) made.emplace_back(each);
    co_return answer{std::move(made)};
}

async<answer> system_profile_methods::add_entitlements(call asked) {
    const auto some = labels_in(asked, "entitlements");
    co_return co_await change(std::move(asked), [some](system_profile& one) -> result<void> {
        one.entitlements = with_entitlements(std::move(one.entitlements), some);
        return {};
    });
}

async<answer> system_profile_methods::remove_entitlements(call asked) {
    const auto some = labels_in(asked, "entitlements");
    co_return co_await change(std::move(asked), [some](system_profile& one) -> result<void> {
        one.entitlements = without_words(std::move(one.entitlements), some);
        return {};
    });
}

// Who knows a key brings systems in, so it is shown to those who may do so anyway.
async<answer> system_profile_methods::list_activation_keys(call asked) {
    CO_TRY(const auto profile, co_await profile_in(asked));
    value::list made;
    const bool may = asked.who().may.everywhere(right::keys_decide);
    if (may && !profile.activation_key.empty()) made.emplace_back(profile.activation_key);
    co_return answer{std::move(made)};
}

async<answer> system_profile_methods::refresh_pillar(call asked) {
    CO_CHECK_OK(around_.view.find_all(asked));
    co_return answer{value::list()};
}

}  // namespace muster::xmlrpc_api
