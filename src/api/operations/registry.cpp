#include "api/operations/registry.h"

#include "adapters/pki/fingerprint.h"
#include "base/hex.h"
#include "core/revision/common_operations.h"
#include "core/table/utf8.h"
#include "ports/deadline.h"
#include "api/operations/json_value.h"
#include "api/operations/precondition.h"
#include "api/operations/related.h"
#include "api/operations/request_claims.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::api {
namespace {

using access::right;

// What somebody wrote is kept short, and as text that the ledger takes.
std::string fit_for_record(std::string text) {
    constexpr std::size_t subject_bytes_max = 1024;
    if (text.size() > subject_bytes_max) text = text.substr(0, subject_bytes_max) + "...";
    if (table::is_utf8_without_nul(text)) return text;
    for (auto& each : text) {
        const bool plain = each >= ' ' && each <= '~';
        if (!plain) each = '?';
    }
    return text;
}

std::unexpected<error> missing(const api::operation& what, const std::string& where) {
    return fail(
        errc::denied,
        fmt::format("{} needs the right {} {}", what.name, to_string(what.needed), where));
}

// "/api/v1/systems/{system}/tasks" lies below "/api/v1/systems/{system}".
bool lies_below(const api::operation& one, const api::operation& other) {
    const std::string_view path = one.path;
    const auto above = other.path + "/";
    return path.starts_with(above)
           && path.find_first_of("/{", above.size()) == std::string_view::npos;
}

bool is_reading(const api::operation& what) {
    const auto required = [](const api::parameter& each) {
        return each.required && each.in != api::place::path;
    };
    return what.method == api::verb::get && !what.streams
           && std::ranges::none_of(what.takes, required);
}

api::shape with_missing_nodes(const api::shape& gives) {
    auto members = gives.members();
    members.push_back(api::required(
        "missing_nodes",
        api::list_of(api::name()).with_about("nodes whose part in who is attached is not known")));
    return api::record_of(std::move(members));
}

constexpr unsigned status_of_change_since = 412;

// What tells one request from another. Secrets are no part of it: who can read the digest of a
// password can guess it.
std::string digest_of(const call& asked) {
    boost::json::object open;
    for (const auto& each : asked.operation().takes) {
        const auto* const given = asked.arguments().find(each.name);
        if (given != nullptr && !each.secret) open.emplace(each.name, to_json(*given));
    }
    return to_hex(pki::sha256(boost::json::serialize(open) + "\n" + asked.edit));
}

// What the answer to a request was when it was first sent.
result<reply> reply_before(const request_claims::answer& kept) {
    boost::json::error_code unreadable;
    auto content = boost::json::parse(kept.content, unreadable);
    if (unreadable) return fail(errc::corrupt, "the answer that was kept cannot be read");
    return reply{
        .content = std::move(content),
        .fields = kept.fields,
        .recorded = false,
        .status = kept.status};
}

std::optional<request_claims::answer> answer_to_keep(
    const api::operation& what, const reply& given) {
    if (what.gives_secret || given.stream || given.other) return std::nullopt;
    return request_claims::answer{
        .status = given.status.value_or(what.status),
        .content = boost::json::serialize(given.content),
        .fields = given.fields};
}

}  // namespace

result<void> registry::add(api::operation what, action does) {
    CHECK_OK(api::check_declaration(what));
    if (what.shares == api::sharing::own) what.shares = revision::sharing_of(what.name);
    if (what.shares == api::sharing::common) what.spans = api::span::all;
    if (what.tells_presence) what.gives = with_missing_nodes(what.gives);
    const auto same_route = [&](const entry& each) {
        return each.what.method == what.method && each.what.path == what.path;
    };
    if (find(what.name) != nullptr || std::ranges::any_of(all_, same_route))
        return fail(errc::conflict, what.name + " is declared twice");
    all_.push_back({.what = std::move(what), .does = std::move(does)});
    return {};
}

void registry::relate() {
    for (auto& each : all_) {
        if (!is_reading(each.what) || !each.what.path.ends_with('}')) continue;
        if (each.what.gives.what() != api::shape::kind::record) continue;
        for (const auto& other : all_) {
            if (is_reading(other.what) && lies_below(other.what, each.what))
                each.related.push_back(&other);
        }
        if (each.related.empty()) continue;
        each.what.takes.push_back(api::in_query(
            expand_parameter, api::text().with_about("links whose answers to give along with it")));
        auto members = each.what.gives.members();
        members.push_back(api::required("links", api::map_of(api::text())));
        members.push_back(api::optional("expanded", api::map_of(api::anything())));
        each.what.gives = api::record_of(std::move(members));
    }
}

const registry::entry* registry::find(std::string_view name) const {
    const auto found = std::ranges::find(
        all_, name, [](const entry& each) -> std::string_view { return each.what.name; });
    return found == all_.end() ? nullptr : &*found;
}

result<std::string> registry::zone_meant(const call& asked) const {
    const auto within = asked.operation().within;
    if (within == api::scope::zone) return asked.text("zone");
    if (within == api::scope::system) {
        const auto& system = asked.text("system");
        if (auto zone = given_.zone_of_system(system)) return *std::move(zone);
        return fail(errc::not_found, fmt::format("System {} was not found", system));
    }
    const auto& node = asked.text("node");
    const auto known = asked.desk().topology.read();
    const auto found = known->nodes.find(node);
    if (found == known->nodes.end())
        return fail(errc::not_found, fmt::format("Node {} was not found", node));
    return found->second.zone;
}

result<void> registry::check_right(const call& asked) {
    const auto& what = asked.operation();
    if (what.needed == right::none) return {};
    if (asked.who().must_change && !what.for_newcomers)
        return fail(
            errc::denied,
            "choose a password of your own first: muster password, or POST /api/v1/me/password");
    if (what.needed == right::self) return {};
    const auto& may = asked.who().may;
    if (may.everywhere(what.needed)) return {};
    if (what.within == api::scope::cluster) return missing(what, "in the whole cluster");
    if (!may.anywhere(what.needed)) return missing(what, "in some zone at least");
    return {};
}

result<void> registry::check_zone(call& asked) const {
    const auto& what = asked.operation();
    const auto& may = asked.who().may;
    if (may.everywhere(what.needed)) return {};
    const auto tree = people::parents_of(*asked.desk().topology.read());
    if (what.within == api::scope::filtered) {
        asked.restrict_to(may.zones(what.needed, tree));
        return {};
    }
    TRY(const auto zone, zone_meant(asked));
    if (!may.in(zone, what.needed, tree)) return missing(what, "in zone " + zone);
    return {};
}

async<void> registry::record(
    visitor who, std::string what, call::audit_note about, result<void> outcome) const {
    const auto* failed = about.partly_done ? "partly done" : "refused";
    // No answer in time: it may or may not have happened.
    if (!outcome && outcome.error().code() == errc::timed_out) failed = "unknown";
    about.subject = fit_for_record(std::move(about.subject));
    deed done{
        .who = who.user,
        .what = std::move(what),
        .origin = who.origin,
        .outcome = outcome ? "done" : failed,
        .detail =
            outcome ? std::move(about.subject) : about.subject + ": " + outcome.error().detail()};
    if (about.system) done.system = about.system->value();
    co_return co_await within(time_, engine_patience, who.desk->audit.record(std::move(done)));
}

async<reply> registry::pass_gate(const api::operation& what, const action& does, call asked) const {
    if (!asked.if_match.empty()) {
        CO_TRY(auto unmet, co_await unmet_condition(*this, asked));
        if (unmet) co_return *std::move(unmet);
    }
    const auto shares = revision::sharing_of(what.name);
    if (gate_ != nullptr && shares != api::sharing::own)
        co_return co_await gate_->pass(shares, does, std::move(asked));
    co_return co_await does(std::move(asked));
}

// A request that is sent again has its answer, also if its own first run changed what it is about.
async<reply> registry::carry_out_once(
    const api::operation& what, const action& does, call asked) const {
    if (asked.wants_events)
        co_return fail(errc::invalid, "an Idempotency-Key cannot have an answer as events");
    const auto desk = asked.who().desk;
    const auto about = asked.note();
    request_claims claims(desk->engines.metadata);
    const request_claims::request mine{
        .user = asked.who().user,
        .key = asked.idempotency_key,
        .operation = what.name,
        .digest = digest_of(asked)};
    CO_TRY(const auto taken, co_await within(time_, engine_patience, claims.take(mine)));
    if (taken.before) {
        asked.set_subject(about->subject + " (sent again, and not done again)");
        co_return reply_before(*taken.before);
    }
    auto done = co_await pass_gate(what, does, std::move(asked));
    const bool unmet = done && done->status == status_of_change_since;
    if (done && !unmet) {
        auto keeping = claims.keep(mine, taken.lease, answer_to_keep(what, *done));
        ignore_error(
            co_await within(time_, engine_patience, std::move(keeping)),
            "who sends it again is told that nobody knows");
        co_return done;
    }
    const bool may_be_done =
        about->partly_done || (!done && done.error().code() == errc::timed_out);
    if (!may_be_done)
        ignore_error(
            co_await within(time_, engine_patience, claims.give_back(taken.lease)),
            "who sends it again is told that nobody knows");
    co_return done;
}

async<reply> registry::carry_out(const api::operation& what, const action& does, call asked) const {
    const bool once =
        !asked.idempotency_key.empty() && api::takes_request_key(what) && !what.knows_requests;
    if (once) co_return co_await carry_out_once(what, does, std::move(asked));
    co_return co_await pass_gate(what, does, std::move(asked));
}

async<reply> registry::read(const api::operation& what, const action& does, call asked) const {
    if (!what.tells_presence) co_return co_await does(std::move(asked));
    std::vector<std::string> names;
    boost::json::array told;
    for (auto& each : given_.missing_nodes()) {
        if (!asked.may_in(each.zone)) continue;
        told.emplace_back(each.name);
        names.push_back(std::move(each.name));
    }
    CO_TRY(auto answered, co_await does(std::move(asked)));
    if (auto* const content = answered.content.if_object())
        content->emplace("missing_nodes", std::move(told));
    answered.missing_nodes = std::move(names);
    co_return answered;
}

async<reply> registry::perform(const api::operation& what, const action& does, call asked) const {
    // Who may not do this at all is not told what is wrong with how they ask.
    auto allowed = check_right(asked);
    if (allowed) {
        CO_CHECK_OK(api::check_arguments(what, asked.arguments()));
        if (!asked.edit.empty() && revision::sharing_of(what.name) == api::sharing::own)
            co_return fail(errc::invalid, what.name + " cannot be part of a draft (Muster-Edit)");
        allowed = check_zone(asked);
    }
    if (!what.changes()) {
        CO_CHECK_OK(allowed);
        co_return co_await read(what, does, std::move(asked));
    }
    const auto who = asked.who();
    const auto about = asked.note();
    if (const auto named = api::system_named_in(asked.arguments()))
        if (const auto number = given_.number_of_system(*named)) asked.set_system(*number);
    if (!allowed) {
        CO_CHECK_OK(co_await record(who, what.name, *about, allowed));
        co_return fail(allowed.error());
    }
    auto answered = co_await carry_out(what, does, std::move(asked));
    if (answered && answered->recorded) co_return answered;
    result<void> outcome = answered ? result<void>() : fail(answered.error());
    if (answered && answered->status == status_of_change_since)
        outcome = fail(errc::conflict, "it was changed since the caller read it");
    const auto written = co_await record(who, what.name, *about, outcome);
    // A deed that is not on record is not answered as done.
    if (answered && !written) co_return fail(written.error());
    co_return answered;
}

}  // namespace muster::api
