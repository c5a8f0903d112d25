#include "api/xmlrpc/methods/saltkey_methods.h"

#include "ports/deadline.h"
#include "api/xmlrpc/methods/declaring.h"
#include "services/fleet/selection.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;
using api::engine_patience;

constexpr std::size_t piece_items = 500;

constexpr method_family methods{
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
    value::list made;
    while (made.empty() && !of->over) {
        CO_TRY(
            const auto page,
            co_await fleet::select_page(of->among, of->what, of->after, piece_items));
        of->after = page.next;
        of->over = !page.next;
        for (const auto& each : page.systems) made.emplace_back(each.name);
    }
    co_return made;
}

}  // namespace

result<void> saltkey_methods::declare(method_book& to) {
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

answer saltkey_methods::list(const call& asked, enrolment stage) const {
    const auto& within = around_.view.around();
    auto made = std::make_shared<key_listing>(key_listing{
        .among = {.known = within.known, .found = within.found},
        .what = {.stages = {stage}, .zones = asked.zones()}});
    return {.content = {}, .items = [made] {
                return next_piece(made);
            }};
}

async<answer> saltkey_methods::list_accepted(call asked) {
    co_return list(asked, enrolment::accepted);
}

async<answer> saltkey_methods::list_pending(call asked) {
    co_return list(asked, enrolment::pooled);
}

async<answer> saltkey_methods::list_rejected(call asked) {
    co_return list(asked, enrolment::rejected);
}

async<answer> saltkey_methods::list_denied(call asked) {
    co_return list(asked, enrolment::deleted);
}

async<fleet::registrar::targets> saltkey_methods::find(
    call asked, std::set<enrolment> stages) const {
    const auto& within = around_.view.around();
    const auto& name = asked.text("minionId");
    if (name.find_first_of(" \t*?[]()\"'\\:/@,") != std::string::npos)
        co_return fail(errc::not_found, fmt::format("There is no key of {}", name));
    fleet::selection what{.stages = std::move(stages), .zones = asked.zones()};
    CO_TRY(auto wanted, within.groups.parse("name:" + name));
    what.wanted = std::make_shared<const targeting::query>(std::move(wanted));
    constexpr std::size_t some = 10;
    const fleet::searched_fleet among{.known = within.known, .found = within.found};
    CO_TRY(auto all, co_await fleet::select_all(among, std::move(what), some));
    if (all.empty()) co_return fail(errc::not_found, fmt::format("There is no key of {}", name));
    if (all.size() > 1)
        co_return fail(
            errc::conflict,
            fmt::format("several systems are named {}: decide by their fingerprints", name));
    co_return all;
}

result<std::string> saltkey_methods::only_zone(const call& asked) const {
    const auto places = around_.places.read();
    if (places->zones.size() != 1)
        return fail(
            errc::conflict, "there are several zones: accept by the API, which can name one");
    const auto& zone = places->zones.begin()->first;
    if (!asked.may_in(zone))
        return fail(
            errc::denied,
            fmt::format("{} needs the right keys.decide in zone {}", asked.operation().name, zone));
    return zone;
}

async<answer> saltkey_methods::ended(async<fleet::tally> work) const {
    CO_TRY(const auto done, co_await within(around_.time, engine_patience, std::move(work)));
    if (done.failed != 0)
        co_return fail(errc::conflict, done.reasons.empty() ? "" : done.reasons.front());
    co_return answer{1};
}

std::optional<fleet::stored_rule> saltkey_methods::default_key() const {
    const auto rules = around_.rules.current();
    for (const auto& each : *rules) {
        const auto& key = each.stored.as_key;
        if (key && key->universal_default && !key->disabled) return each.stored;
    }
    return std::nullopt;
}

async<answer> saltkey_methods::accept(call asked) {
    asked.set_subject(asked.text("minionId"));
    CO_TRY(const auto zone, only_zone(asked));
    CO_TRY(auto which, co_await find(asked, {enrolment::pooled}));
    const auto print = which.front();
    const auto key = default_key();
    lifecycle::terms given{.zone = zone, .by = asked.who().user};
    if (key) given.groups = key->groups;
    // Whose place a known machine's new key takes is only its own word: nobody of one zone gets
    // another zone's system by it.
    using fleet::registrar;
    const auto how = asked.zones() ? registrar::newcomers::add : registrar::newcomers::replace;
    CO_TRY(auto done, co_await ended(around_.keys.accept(std::move(which), std::move(given), how)));
    const auto now = around_.view.around().known.find(print);
    if (!key || !now) co_return done;
    asked.set_partly_done();
    auto writing = around_.profiles.change(
        {now->number},
        [with = *key->as_key](fleet::system_profile& one) -> result<void> {
            if (one.version > 0) return {};  // it takes an older key's place
            one.activation_key = with.key;
            one.config_channels = with.config_channels;
            one.entitlements = with.entitlements;
            return {};
        },
        asked.who().user);
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(writing)));
    co_return done;
}

async<answer> saltkey_methods::reject(call asked) {
    asked.set_subject(asked.text("minionId"));
    CO_TRY(auto which, co_await find(asked, {enrolment::pooled}));
    co_return co_await ended(around_.keys.reject(std::move(which), asked.decider()));
}

async<answer> saltkey_methods::remove(call asked) {
    asked.set_subject(asked.text("minionId"));
    CO_TRY(
        auto which,
        co_await find(asked, {enrolment::pooled, enrolment::rejected, enrolment::accepted}));
    co_return co_await ended(around_.keys.remove(std::move(which), asked.decider()));
}

}  // namespace muster::xmlrpc_api
