#include "api/xmlrpc/methods/saltkey_methods.h"

#include "api/xmlrpc/methods/method_declarations.h"
#include "ports/deadline.h"
#include "services/fleet/selection.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;
using api::engine_timeout;

constexpr std::size_t piece_items = 500;

constexpr method_defaults methods{
    .prefix = "saltkey.", .changes = right::keys_decide, .changes_within = scope::filtered};

operation listing(std::string name, std::string summary) {
    return methods.reading(std::move(name), std::move(summary), {}, list_of(text()));
}

operation deciding(std::string name, std::string summary) {
    return methods.changing(
        std::move(name), std::move(summary), {argument("minionId", api::name())});
}

struct key_listing {
    fleet::searched_fleet among;
    fleet::selection what;
    std::optional<fingerprint> after = {};
    bool over = false;
};

async<value::list> next_piece(std::shared_ptr<key_listing> of) {
    value::list list;
    while (list.empty() && !of->over) {
        CO_TRY(
            const auto page,
            co_await fleet::select_page(of->among, of->what, of->after, piece_items));
        of->after = page.next;
        of->over = !page.next;
        for (const auto& system : page.systems) list.emplace_back(system.name);
    }
    co_return list;
}

}  // namespace

result<void> saltkey_methods::declare(method_registry& to) {
    CHECK_OK(to.add(
        {listing("acceptedList", "Systems that were accepted"),
         done_by(this, &saltkey_methods::list_accepted)}));
    CHECK_OK(to.add(
        {listing("pendingList", "Systems that wait to be accepted"),
         done_by(this, &saltkey_methods::list_pending)}));
    CHECK_OK(to.add(
        {listing("rejectedList", "Systems that were rejected"),
         done_by(this, &saltkey_methods::list_rejected)}));
    CHECK_OK(to.add(
        {listing("deniedList", "Systems that were deleted, for ever"),
         done_by(this, &saltkey_methods::list_denied)}));
    CHECK_OK(to.add(
        {deciding("accept", "Accepts a system that waits, into the only zone"),
         done_by(this, &saltkey_methods::accept)}));
    CHECK_OK(to.add(
        {deciding("reject", "Rejects a system that waits"),
         done_by(this, &saltkey_methods::reject)}));
    return to.add(
        {deciding("delete", "Deletes a system for ever; its key is not taken again"),
         done_by(this, &saltkey_methods::remove)});
}

answer saltkey_methods::list(const call& call, enrolment stage) const {
    const auto& within = deps_.view.around();
    auto result = std::make_shared<key_listing>(key_listing{
        .among = {.known = within.systems, .found = within.search},
        .what = {.stages = {stage}, .zones = call.zones()}});
    return {.content = {}, .items = [result] {
                return next_piece(result);
            }};
}

async<answer> saltkey_methods::list_accepted(call call) {
    co_return list(call, enrolment::accepted);
}

async<answer> saltkey_methods::list_pending(call call) {
    co_return list(call, enrolment::pooled);
}

async<answer> saltkey_methods::list_rejected(call call) {
    co_return list(call, enrolment::rejected);
}

async<answer> saltkey_methods::list_denied(call call) {
    co_return list(call, enrolment::deleted);
}

async<fleet::system_service::targets> saltkey_methods::find(
    call call, std::set<enrolment> stages) const {
    const auto& within = deps_.view.around();
    const auto& name = call.text("minionId");
    if (name.find_first_of(" \t*?[]()\"'\\:/@,") != std::string::npos)
        co_return fail(errc::not_found, fmt::format("There is no key of {}", name));
    fleet::selection selection{.stages = std::move(stages), .zones = call.zones()};
    CO_TRY(auto desired, within.groups.parse("name:" + name));
    selection.wanted = std::make_shared<const targeting::query>(std::move(desired));
    constexpr std::size_t some = 10;
    const fleet::searched_fleet among{.known = within.systems, .found = within.search};
    CO_TRY(auto all, co_await fleet::select_all(among, std::move(selection), some));
    if (all.empty()) co_return fail(errc::not_found, fmt::format("There is no key of {}", name));
    if (all.size() > 1)
        co_return fail(
            errc::conflict,
            fmt::format("several systems are named {}: decide by their fingerprints", name));
    co_return all;
}

result<std::string> saltkey_methods::only_zone(const call& call) const {
    const auto places = deps_.topology.read();
    if (places->zones.size() != 1)
        return fail(
            errc::conflict, "there are several zones: accept by the API, which can name one");
    const auto& zone = places->zones.begin()->first;
    if (!call.may_in(zone))
        return fail(
            errc::denied,
            fmt::format("{} needs the right keys.decide in zone {}", call.operation().name, zone));
    return zone;
}

async<answer> saltkey_methods::ended(async<fleet::bulk_result> work) const {
    CO_TRY(const auto done, co_await within(deps_.clock, engine_timeout, std::move(work)));
    if (done.failed != 0)
        co_return fail(errc::conflict, done.reasons.empty() ? "" : done.reasons.front());
    co_return answer{1};
}

std::optional<fleet::stored_rule> saltkey_methods::default_key() const {
    const auto rules = deps_.rules.current();
    for (const auto& rule : *rules) {
        const auto& key = rule.stored.as_key;
        if (key && key->universal_default && !key->disabled) return rule.stored;
    }
    return std::nullopt;
}

async<answer> saltkey_methods::accept(call call) {
    call.set_subject(call.text("minionId"));
    CO_TRY(const auto zone, only_zone(call));
    CO_TRY(auto which, co_await find(call, {enrolment::pooled}));
    const auto print = which.front();
    const auto key = default_key();
    lifecycle::terms terms{.zone = zone, .by = call.who().user};
    if (key) terms.groups = key->groups;
    // Whose place a known machine's new key takes is only its own word: nobody of one zone gets
    // another zone's system by it.
    using fleet::system_service;
    const auto how = call.zones() ? system_service::duplicate_machine_policy::add
                                  : system_service::duplicate_machine_policy::replace;
    CO_TRY(auto done, co_await ended(deps_.keys.accept(std::move(which), std::move(terms), how)));
    const auto now = deps_.view.around().systems.find(print);
    if (!key || !now) co_return done;
    call.set_partly_done();
    auto writing = deps_.profiles.change(
        {now->number},
        [with = *key->as_key](fleet::system_profile& system_profile) -> result<void> {
            if (system_profile.version > 0) return {};  // it takes an older key's place
            system_profile.activation_key = with.key;
            system_profile.config_channels = with.config_channels;
            system_profile.entitlements = with.entitlements;
            return {};
        },
        call.who().user);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(writing)));
    co_return done;
}

async<answer> saltkey_methods::reject(call call) {
    call.set_subject(call.text("minionId"));
    CO_TRY(auto which, co_await find(call, {enrolment::pooled}));
    co_return co_await ended(deps_.keys.reject(std::move(which), call.decider()));
}

async<answer> saltkey_methods::remove(call call) {
    call.set_subject(call.text("minionId"));
    CO_TRY(
        auto which,
        co_await find(call, {enrolment::pooled, enrolment::rejected, enrolment::accepted}));
    co_return co_await ended(deps_.keys.remove(std::move(which), call.decider()));
}

}  // namespace muster::xmlrpc_api
