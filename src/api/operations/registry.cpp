#include "api/operations/registry.h"

#include "adapters/pki/fingerprint.h"
#include "api/operations/idempotency_store.h"
#include "api/operations/json_value.h"
#include "api/operations/precondition.h"
#include "api/operations/response_expansion.h"
#include "base/hex.h"
#include "core/revision/common_operations.h"
#include "core/table/utf8.h"
#include "ports/deadline.h"

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

std::unexpected<error> missing(const api::operation& operation, const std::string& where) {
    return fail(
        errc::denied,
        fmt::format(
            "{} needs the right {} {}", operation.name, to_string(operation.needed), where));
}

// "/api/v1/systems/{system}/tasks" lies below "/api/v1/systems/{system}".
bool lies_below(const api::operation& operation, const api::operation& other) {
    const std::string_view path = operation.path;
    const auto above = other.path + "/";
    return path.starts_with(above)
           && path.find_first_of("/{", above.size()) == std::string_view::npos;
}

bool is_reading(const api::operation& operation) {
    const auto required = [](const api::parameter& parameter) {
        return parameter.required && parameter.in != api::place::path;
    };
    return operation.method == api::verb::get && !operation.streams
           && std::ranges::none_of(operation.takes, required);
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
std::string digest_of(const call& call) {
    boost::json::object open;
    for (const auto& take : call.operation().takes) {
        const auto* const given = call.arguments().find(take.name);
        if (given != nullptr && !take.secret) open.emplace(take.name, to_json(*given));
    }
    return to_hex(pki::sha256(boost::json::serialize(open) + "\n" + call.edit));
}

// What the answer to a request was when it was first sent.
result<reply> reply_before(const idempotency_store::answer& answer) {
    boost::json::error_code unreadable;
    auto content = boost::json::parse(answer.content, unreadable);
    if (unreadable) return fail(errc::corrupt, "the answer that was kept cannot be read");
    return reply{
        .content = std::move(content),
        .fields = answer.fields,
        .recorded = false,
        .status = answer.status};
}

std::optional<idempotency_store::answer> answer_to_keep(
    const api::operation& operation, const reply& reply) {
    if (operation.gives_secret || reply.stream || reply.other) return std::nullopt;
    return idempotency_store::answer{
        .status = reply.status.value_or(operation.status),
        .content = boost::json::serialize(reply.content),
        .fields = reply.fields};
}

}  // namespace

result<void> registry::add(api::operation operation, action does) {
    CHECK_OK(api::check_declaration(operation));
    if (operation.shares == api::sharing::own)
        operation.shares = revision::sharing_of(operation.name);
    if (operation.shares == api::sharing::common) operation.spans = api::span::all;
    if (operation.includes_presence) operation.gives = with_missing_nodes(operation.gives);
    const auto same_route = [&](const entry& entry) {
        return entry.what.method == operation.method && entry.what.path == operation.path;
    };
    if (find(operation.name) != nullptr || std::ranges::any_of(all_, same_route))
        return fail(errc::conflict, operation.name + " is declared twice");
    all_.push_back({.what = std::move(operation), .does = std::move(does)});
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
    const auto it = std::ranges::find(
        all_, name, [](const entry& entry) -> std::string_view { return entry.what.name; });
    return it == all_.end() ? nullptr : &*it;
}

result<std::string> registry::zone_meant(const call& call) const {
    const auto within = call.operation().within;
    if (within == api::scope::zone) return call.text("zone");
    if (within == api::scope::system) {
        const auto& system = call.text("system");
        if (systems_ != nullptr)
            if (auto zone = systems_->zone_of(system)) return *std::move(zone);
        return fail(errc::not_found, fmt::format("System {} was not found", system));
    }
    const auto& node = call.text("node");
    const auto topology = call.context().topology.read();
    const auto it = topology->nodes.find(node);
    if (it == topology->nodes.end())
        return fail(errc::not_found, fmt::format("Node {} was not found", node));
    return it->second.zone;
}

result<void> registry::check_right(const call& call) {
    const auto& what = call.operation();
    if (what.needed == right::none) return {};
    if (call.who().must_change && !what.allowed_before_password_change)
        return fail(
            errc::denied,
            "choose a password of your own first: muster password, or POST /api/v1/me/password");
    if (what.needed == right::self) return {};
    const auto& may = call.who().may;
    if (may.everywhere(what.needed)) return {};
    if (what.within == api::scope::cluster) return missing(what, "in the whole cluster");
    if (!may.anywhere(what.needed)) return missing(what, "in some zone at least");
    return {};
}

result<void> registry::check_zone(call& call) const {
    const auto& what = call.operation();
    const auto& may = call.who().may;
    if (may.everywhere(what.needed)) return {};
    const auto tree = people::parents_of(*call.context().topology.read());
    if (what.within == api::scope::filtered) {
        call.restrict_to(may.zones(what.needed, tree));
        return {};
    }
    TRY(const auto zone, zone_meant(call));
    if (!may.in(zone, what.needed, tree)) return missing(what, "in zone " + zone);
    return {};
}

async<void> registry::record(
    caller caller, std::string text, call::audit_note about, result<void> outcome) const {
    const auto* failed = about.partly_done ? "partly done" : "refused";
    // No answer in time: it may or may not have happened.
    if (!outcome && outcome.error().code() == errc::timed_out) failed = "unknown";
    about.subject = fit_for_record(std::move(about.subject));
    audit_entry done{
        .who = caller.user,
        .what = std::move(text),
        .origin = caller.origin,
        .outcome = outcome ? "done" : failed,
        .detail =
            outcome ? std::move(about.subject) : about.subject + ": " + outcome.error().detail()};
    if (about.system) done.system = about.system->value();
    co_return co_await within(
        clock_, engine_timeout, caller.context->audit.record(std::move(done)));
}

async<reply> registry::pass_gate(
    const api::operation& operation, const action& does, call call) const {
    if (!call.if_match.empty()) {
        CO_TRY(auto unmet, co_await unmet_condition(*this, call));
        if (unmet) co_return *std::move(unmet);
    }
    const auto shares = revision::sharing_of(operation.name);
    if (gate_ != nullptr && shares != api::sharing::own)
        co_return co_await gate_->pass(shares, does, std::move(call));
    co_return co_await does(std::move(call));
}

// A request that is sent again has its answer, also if its own first run changed what it is about.
async<reply> registry::carry_out_once(
    const api::operation& operation, const action& does, call call) const {
    if (call.wants_events)
        co_return fail(errc::invalid, "an Idempotency-Key cannot have an answer as events");
    const auto desk = call.who().context;
    const auto about = call.note();
    idempotency_store claims(desk->engines.metastore);
    const idempotency_store::request request{
        .user = call.who().user,
        .key = call.idempotency_key,
        .operation = operation.name,
        .digest = digest_of(call)};
    CO_TRY(const auto reserved, co_await within(clock_, engine_timeout, claims.take(request)));
    if (reserved.before) {
        call.set_subject(about->subject + " (sent again, and not done again)");
        co_return reply_before(*reserved.before);
    }
    auto done = co_await pass_gate(operation, does, std::move(call));
    const bool unmet = done && done->status == status_of_change_since;
    if (done && !unmet) {
        auto keeping = claims.keep(request, reserved.lease, answer_to_keep(operation, *done));
        ignore_error(
            co_await within(clock_, engine_timeout, std::move(keeping)),
            "who sends it again is told that nobody knows");
        co_return done;
    }
    const bool may_be_done =
        about->partly_done || (!done && done.error().code() == errc::timed_out);
    if (!may_be_done)
        ignore_error(
            co_await within(clock_, engine_timeout, claims.release_memory(reserved.lease)),
            "who sends it again is told that nobody knows");
    co_return done;
}

async<reply> registry::carry_out(
    const api::operation& operation, const action& does, call call) const {
    const bool once = !call.idempotency_key.empty() && api::takes_request_key(operation)
                      && !operation.handles_idempotency;
    if (once) co_return co_await carry_out_once(operation, does, std::move(call));
    co_return co_await pass_gate(operation, does, std::move(call));
}

async<reply> registry::read(const api::operation& operation, const action& does, call call) const {
    if (!operation.includes_presence) co_return co_await does(std::move(call));
    std::vector<std::string> names;
    boost::json::array response;
    for (auto& missing_node :
         systems_ == nullptr ? std::vector<presence::missing_node>() : systems_->missing_nodes()) {
        if (!call.may_in(missing_node.zone)) continue;
        response.emplace_back(missing_node.name);
        names.push_back(std::move(missing_node.name));
    }
    CO_TRY(auto answered, co_await does(std::move(call)));
    if (auto* const content = answered.content.if_object())
        content->emplace("missing_nodes", std::move(response));
    answered.missing_nodes = std::move(names);
    co_return answered;
}

async<reply> registry::perform(
    const api::operation& operation, const action& does, call call) const {
    // Who may not do this at all is not told what is wrong with how they ask.
    auto allowed = check_right(call);
    if (allowed) {
        CO_CHECK_OK(api::check_arguments(operation, call.arguments()));
        if (!call.edit.empty() && revision::sharing_of(operation.name) == api::sharing::own)
            co_return fail(
                errc::invalid, operation.name + " cannot be part of a draft (Muster-Edit)");
        allowed = check_zone(call);
    }
    if (!operation.changes()) {
        CO_CHECK_OK(allowed);
        co_return co_await read(operation, does, std::move(call));
    }
    const auto who = call.who();
    const auto about = call.note();
    if (const auto named = api::system_named_in(call.arguments()))
        if (systems_ != nullptr)
            if (const auto number = systems_->find(*named)) call.set_system(*number);
    if (!allowed) {
        CO_CHECK_OK(co_await record(who, operation.name, *about, allowed));
        co_return fail(allowed.error());
    }
    auto answered = co_await carry_out(operation, does, std::move(call));
    if (answered && answered->recorded) co_return answered;
    result<void> outcome = answered ? result<void>() : fail(answered.error());
    if (answered && answered->status == status_of_change_since)
        outcome = fail(errc::conflict, "it was changed since the caller read it");
    const auto written = co_await record(who, operation.name, *about, outcome);
    // A deed that is not on record is not answered as done.
    if (answered && !written) co_return fail(written.error());
    co_return answered;
}

}  // namespace muster::api
