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
    .prefix = "saltkey.", .change_right = right::keys_decide, .change_scope = scope::filtered};

operation list_method(std::string name, std::string summary) {
    return methods.read_method(std::move(name), std::move(summary), {}, list_of(text()));
}

operation decision_method(std::string name, std::string summary) {
    return methods.change_method(
        std::move(name), std::move(summary), {argument("minionId", api::name())});
}

struct key_listing {
    fleet::search_dependencies scope;
    fleet::selection selection;
    std::optional<fingerprint> after = {};
    bool finished = false;
};

async<value::list> next_piece(std::shared_ptr<key_listing> state) {
    value::list list;
    while (list.empty() && !state->finished) {
        CO_TRY(
            const auto page,
            co_await fleet::select_page(state->scope, state->selection, state->after, piece_items));
        state->after = page.next;
        state->finished = !page.next;
        for (const auto& system : page.systems) list.emplace_back(system.name);
    }
    co_return list;
}

}  // namespace

result<void> saltkey_methods::declare(method_registry& registry) {
    CHECK_OK(registry.add(
        {list_method("acceptedList", "List accepted systems"),
         handler(this, &saltkey_methods::list_accepted)}));
    CHECK_OK(registry.add(
        {list_method("pendingList", "List pending systems"),
         handler(this, &saltkey_methods::list_pending)}));
    CHECK_OK(registry.add(
        {list_method("rejectedList", "List rejected systems"),
         handler(this, &saltkey_methods::list_rejected)}));
    CHECK_OK(registry.add(
        {list_method("deniedList", "List deleted systems"),
         handler(this, &saltkey_methods::list_denied)}));
    CHECK_OK(registry.add(
        {decision_method("accept", "Accept a pending system into the only zone"),
         handler(this, &saltkey_methods::accept)}));
    CHECK_OK(registry.add(
        {decision_method("reject", "Reject a pending system"),
         handler(this, &saltkey_methods::reject)}));
    return registry.add(
        {decision_method("delete", "Delete a system permanently; its key cannot enrol again"),
         handler(this, &saltkey_methods::remove)});
}

method_response saltkey_methods::list(const call& call, enrolment stage) const {
    const auto& fleet = deps_.fleet.deps();
    auto state = std::make_shared<key_listing>(key_listing{
        .scope = {.systems = fleet.systems, .search = fleet.search},
        .selection = {.stages = {stage}, .zones = call.zones()}});
    return {.content = {}, .items = [state] {
                return next_piece(state);
            }};
}

async<method_response> saltkey_methods::list_accepted(call call) {
    co_return list(call, enrolment::accepted);
}

async<method_response> saltkey_methods::list_pending(call call) {
    co_return list(call, enrolment::pooled);
}

async<method_response> saltkey_methods::list_rejected(call call) {
    co_return list(call, enrolment::rejected);
}

async<method_response> saltkey_methods::list_denied(call call) {
    co_return list(call, enrolment::deleted);
}

async<fleet::system_service::targets> saltkey_methods::find(
    call call, std::set<enrolment> stages) const {
    const auto& fleet = deps_.fleet.deps();
    const auto& name = call.text("minionId");
    if (name.find_first_of(" \t*?[]()\"'\\:/@,") != std::string::npos)
        co_return fail(errc::not_found, fmt::format("key of system \"{}\" not found", name));
    fleet::selection selection{.stages = std::move(stages), .zones = call.zones()};
    CO_TRY(auto query, fleet.groups.parse("name:" + name));
    selection.query = std::make_shared<const targeting::query>(std::move(query));
    constexpr std::size_t limit = 10;
    const fleet::search_dependencies scope{.systems = fleet.systems, .search = fleet.search};
    CO_TRY(auto keys, co_await fleet::select_all(scope, std::move(selection), limit));
    if (keys.empty())
        co_return fail(errc::not_found, fmt::format("key of system \"{}\" not found", name));
    if (keys.size() > 1)
        co_return fail(
            errc::conflict,
            fmt::format(
                "several systems have the name \"{}\"; use `muster keys` with fingerprints", name));
    co_return keys;
}

result<std::string> saltkey_methods::only_zone(const call& call) const {
    const auto topology = deps_.topology.read();
    if (topology->zones.size() != 1)
        return fail(
            errc::conflict,
            "cluster has several zones; accept with `muster keys accept --zone ZONE`");
    const auto& zone = topology->zones.begin()->first;
    if (!call.may_in(zone))
        return fail(
            errc::denied,
            fmt::format(
                "{} requires the right keys.decide in zone \"{}\"", call.operation().name, zone));
    return zone;
}

async<method_response> saltkey_methods::finish(async<fleet::bulk_result> work) const {
    CO_TRY(const auto result, co_await within(deps_.clock, engine_timeout, std::move(work)));
    if (result.failed != 0)
        co_return fail(errc::conflict, result.reasons.empty() ? "" : result.reasons.front());
    co_return method_response{1};
}

std::optional<fleet::stored_rule> saltkey_methods::default_key() const {
    const auto rules = deps_.rules.current();
    for (const auto& rule : *rules) {
        const auto& key = rule.stored.as_key;
        if (key && key->universal_default && !key->disabled) return rule.stored;
    }
    return std::nullopt;
}

async<method_response> saltkey_methods::accept(call call) {
    call.set_subject(call.text("minionId"));
    CO_TRY(const auto zone, only_zone(call));
    CO_TRY(auto keys, co_await find(call, {enrolment::pooled}));
    const auto print = keys.front();
    const auto key = default_key();
    lifecycle::acceptance_options terms{.zone = zone, .accepted_by = call.caller().user};
    if (key) terms.groups = key->groups;
    // The machine id in a new key is only a claim. A caller of one zone must not replace another
    // zone's system with it.
    using fleet::system_service;
    const auto policy = call.zones() ? system_service::duplicate_machine_policy::add
                                     : system_service::duplicate_machine_policy::replace;
    CO_TRY(
        auto response,
        co_await finish(deps_.keys.accept(std::move(keys), std::move(terms), policy)));
    const auto system = deps_.fleet.deps().systems.find(print);
    if (!key || !system) co_return response;
    call.set_partly_done();
    auto update = deps_.profiles.change(
        {system->number},
        [activation = *key->as_key](fleet::system_profile& profile) -> result<void> {
            if (profile.version > 0) return {};  // it takes an older key's place
            profile.activation_key = activation.key;
            profile.config_channels = activation.config_channels;
            profile.entitlements = activation.entitlements;
            return {};
        },
        call.caller().user);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(update)));
    co_return response;
}

async<method_response> saltkey_methods::reject(call call) {
    call.set_subject(call.text("minionId"));
    CO_TRY(auto keys, co_await find(call, {enrolment::pooled}));
    co_return co_await finish(deps_.keys.reject(std::move(keys), call.decider()));
}

async<method_response> saltkey_methods::remove(call call) {
    call.set_subject(call.text("minionId"));
    CO_TRY(
        auto keys,
        co_await find(call, {enrolment::pooled, enrolment::rejected, enrolment::accepted}));
    co_return co_await finish(deps_.keys.remove(std::move(keys), call.decider()));
}

}  // namespace muster::xmlrpc_api
