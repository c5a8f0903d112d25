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

// Shortens user text and replaces bytes that the ledger does not accept.
std::string to_audit_text(std::string text) {
    constexpr std::size_t subject_bytes_max = 1024;
    if (text.size() > subject_bytes_max) text = text.substr(0, subject_bytes_max) + "...";
    if (table::is_utf8_without_nul(text)) return text;
    for (auto& character : text) {
        const bool printable = character >= ' ' && character <= '~';
        if (!printable) character = '?';
    }
    return text;
}

std::unexpected<error> missing_right(const api::operation& operation, const std::string& extent) {
    return fail(
        errc::denied,
        fmt::format(
            "{} needs the right {} {}", operation.name, to_string(operation.needed), extent));
}

// "/api/v1/systems/{system}/tasks" lies below "/api/v1/systems/{system}".
bool is_child_of(const api::operation& operation, const api::operation& parent) {
    const std::string_view path = operation.path;
    const auto prefix = parent.path + "/";
    return path.starts_with(prefix)
           && path.find_first_of("/{", prefix.size()) == std::string_view::npos;
}

bool is_plain_read(const api::operation& operation) {
    const auto required = [](const api::parameter& parameter) {
        return parameter.required && parameter.in != api::place::path;
    };
    return operation.method == api::verb::get && !operation.streams
           && std::ranges::none_of(operation.takes, required);
}

api::shape with_missing_nodes(const api::shape& response) {
    auto members = response.members();
    members.push_back(api::required(
        "missing_nodes",
        api::list_of(api::name()).with_about("nodes whose presence data is missing")));
    return api::record_of(std::move(members));
}

constexpr unsigned precondition_failed = 412;

// Identifies the content of a request. Secrets are left out: a password can be guessed from its
// digest.
std::string digest_of(const call& call) {
    boost::json::object digested;
    for (const auto& parameter : call.operation().takes) {
        const auto* const argument = call.arguments().find(parameter.name);
        if (argument != nullptr && !parameter.secret)
            digested.emplace(parameter.name, to_json(*argument));
    }
    return to_hex(pki::sha256(boost::json::serialize(digested) + "\n" + call.edit));
}

// The response to the first request with the same key.
result<reply> to_reply(const idempotency_store::stored_response& stored_response) {
    boost::json::error_code unreadable;
    auto content = boost::json::parse(stored_response.content, unreadable);
    if (unreadable) return fail(errc::corrupt, "stored response is unreadable");
    return reply{
        .content = std::move(content),
        .fields = stored_response.fields,
        .recorded = false,
        .status = stored_response.status};
}

std::optional<idempotency_store::stored_response> to_stored_response(
    const api::operation& operation, const reply& reply) {
    if (operation.gives_secret || reply.stream || reply.raw) return std::nullopt;
    return idempotency_store::stored_response{
        .status = reply.status.value_or(operation.status),
        .content = boost::json::serialize(reply.content),
        .fields = reply.fields};
}

}  // namespace

result<void> registry::add(api::operation operation, operation_handler handler) {
    CHECK_OK(api::check_declaration(operation));
    if (operation.shares == api::sharing::own)
        operation.shares = revision::sharing_of(operation.name);
    if (operation.shares == api::sharing::common) operation.spans = api::span::all;
    if (operation.includes_presence) operation.gives = with_missing_nodes(operation.gives);
    const auto same_route = [&](const entry& entry) {
        return entry.operation.method == operation.method && entry.operation.path == operation.path;
    };
    if (find(operation.name) != nullptr || std::ranges::any_of(all_, same_route))
        return fail(errc::conflict, "operation \"" + operation.name + "\" already exists");
    all_.push_back({.operation = std::move(operation), .handler = std::move(handler)});
    return {};
}

void registry::relate() {
    for (auto& object : all_) {
        if (!is_plain_read(object.operation) || !object.operation.path.ends_with('}')) continue;
        if (object.operation.gives.what() != api::shape::kind::record) continue;
        for (const auto& candidate : all_) {
            if (is_plain_read(candidate.operation)
                && is_child_of(candidate.operation, object.operation))
                object.related.push_back(&candidate);
        }
        if (object.related.empty()) continue;
        object.operation.takes.push_back(api::in_query(
            expand_parameter,
            api::text().with_about("comma-separated links to include in the response")));
        auto members = object.operation.gives.members();
        members.push_back(api::required("links", api::map_of(api::text())));
        members.push_back(api::optional("expanded", api::map_of(api::anything())));
        object.operation.gives = api::record_of(std::move(members));
    }
}

const registry::entry* registry::find(std::string_view name) const {
    const auto it = std::ranges::find(
        all_, name, [](const entry& entry) -> std::string_view { return entry.operation.name; });
    return it == all_.end() ? nullptr : &*it;
}

result<std::string> registry::find_zone(const call& call) const {
    const auto scope = call.operation().within;
    if (scope == api::scope::zone) return call.text("zone");
    if (scope == api::scope::system) {
        const auto& system = call.text("system");
        if (systems_ != nullptr)
            if (auto zone = systems_->zone_of(system)) return *std::move(zone);
        return fail(errc::not_found, fmt::format("system \"{}\" not found", system));
    }
    const auto& node = call.text("node");
    const auto topology = call.context().topology.read();
    const auto it = topology->nodes.find(node);
    if (it == topology->nodes.end())
        return fail(errc::not_found, fmt::format("node \"{}\" not found", node));
    return it->second.zone;
}

result<void> registry::check_right(const call& call) {
    const auto& operation = call.operation();
    if (operation.needed == right::none) return {};
    if (call.caller().must_change && !operation.allowed_before_password_change)
        return fail(
            errc::denied,
            "password must be changed first; run muster password or POST /api/v1/me/password");
    if (operation.needed == right::self) return {};
    const auto& may = call.caller().may;
    if (may.everywhere(operation.needed)) return {};
    if (operation.within == api::scope::cluster)
        return missing_right(operation, "in the whole cluster");
    if (!may.anywhere(operation.needed)) return missing_right(operation, "in at least one zone");
    return {};
}

result<void> registry::check_zone(call& call) const {
    const auto& operation = call.operation();
    const auto& may = call.caller().may;
    if (may.everywhere(operation.needed)) return {};
    const auto tree = people::to_zone_parents(*call.context().topology.read());
    if (operation.within == api::scope::filtered) {
        call.restrict_to(may.zones(operation.needed, tree));
        return {};
    }
    TRY(const auto zone, find_zone(call));
    if (!may.in(zone, operation.needed, tree))
        return missing_right(operation, "in zone \"" + zone + "\"");
    return {};
}

async<void> registry::record(
    caller caller, std::string text, call::audit_note note, result<void> outcome) const {
    const auto* failure = note.partly_done ? "partly done" : "refused";
    // After a timeout the outcome is unknown.
    if (!outcome && outcome.error().code() == errc::timed_out) failure = "unknown";
    note.subject = to_audit_text(std::move(note.subject));
    audit_entry entry{
        .who = caller.user,
        .what = std::move(text),
        .origin = caller.origin,
        .outcome = outcome ? "done" : failure,
        .detail =
            outcome ? std::move(note.subject) : note.subject + ": " + outcome.error().detail()};
    if (note.system) entry.system = note.system->value();
    co_return co_await within(
        clock_, engine_timeout, caller.context->audit.record(std::move(entry)));
}

async<reply> registry::intercept(
    const api::operation& operation, const operation_handler& handler, call call) const {
    if (!call.if_match.empty()) {
        CO_TRY(auto unmet, co_await check_precondition(*this, call));
        if (unmet) co_return *std::move(unmet);
    }
    const auto shares = revision::sharing_of(operation.name);
    if (interceptor_ != nullptr && shares != api::sharing::own)
        co_return co_await interceptor_->intercept(shares, handler, std::move(call));
    co_return co_await handler(std::move(call));
}

// Checks the key before the precondition: the first run may have changed the record itself.
async<reply> registry::execute_once(
    const api::operation& operation, const operation_handler& handler, call call) const {
    if (call.wants_events)
        co_return fail(
            errc::invalid, "Idempotency-Key cannot be combined with Accept: text/event-stream");
    const auto context = call.caller().context;
    const auto note = call.note();
    idempotency_store store(context->engines.metastore);
    const idempotency_store::request request{
        .user = call.caller().user,
        .key = call.idempotency_key,
        .operation = operation.name,
        .digest = digest_of(call)};
    CO_TRY(const auto reservation, co_await within(clock_, engine_timeout, store.reserve(request)));
    if (reservation.earlier_response) {
        call.set_subject(note->subject + " (repeated request, not executed again)");
        co_return to_reply(*reservation.earlier_response);
    }
    auto response = co_await intercept(operation, handler, std::move(call));
    const bool refused = response && response->status == precondition_failed;
    if (response && !refused) {
        auto completion =
            store.complete(request, reservation.lease, to_stored_response(operation, *response));
        ignore_error(
            co_await within(clock_, engine_timeout, std::move(completion)),
            "a repeated request reports an unknown result");
        co_return response;
    }
    const bool may_be_done =
        note->partly_done || (!response && response.error().code() == errc::timed_out);
    if (!may_be_done)
        ignore_error(
            co_await within(clock_, engine_timeout, store.release(reservation.lease)),
            "a repeated request reports an unknown result");
    co_return response;
}

async<reply> registry::execute(
    const api::operation& operation, const operation_handler& handler, call call) const {
    const bool idempotent = !call.idempotency_key.empty() && api::takes_request_key(operation)
                            && !operation.handles_idempotency;
    if (idempotent) co_return co_await execute_once(operation, handler, std::move(call));
    co_return co_await intercept(operation, handler, std::move(call));
}

async<reply> registry::read(
    const api::operation& operation, const operation_handler& handler, call call) const {
    if (!operation.includes_presence) co_return co_await handler(std::move(call));
    std::vector<std::string> names;
    boost::json::array names_json;
    for (auto& missing_node :
         systems_ == nullptr ? std::vector<presence::missing_node>() : systems_->missing_nodes()) {
        if (!call.may_in(missing_node.zone)) continue;
        names_json.emplace_back(missing_node.name);
        names.push_back(std::move(missing_node.name));
    }
    CO_TRY(auto response, co_await handler(std::move(call)));
    if (auto* const content = response.content.if_object())
        content->emplace("missing_nodes", std::move(names_json));
    response.missing_nodes = std::move(names);
    co_return response;
}

async<reply> registry::perform(
    const api::operation& operation, const operation_handler& handler, call call) const {
    // Check the right first: callers without it learn nothing about argument errors.
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
        co_return co_await read(operation, handler, std::move(call));
    }
    const auto caller = call.caller();
    const auto note = call.note();
    if (const auto system_name = api::system_named_in(call.arguments()))
        if (systems_ != nullptr)
            if (const auto number = systems_->find(*system_name)) call.set_system(*number);
    if (!allowed) {
        CO_CHECK_OK(co_await record(caller, operation.name, *note, allowed));
        co_return fail(allowed.error());
    }
    auto response = co_await execute(operation, handler, std::move(call));
    if (response && response->recorded) co_return response;
    result<void> outcome = response ? result<void>() : fail(response.error());
    if (response && response->status == precondition_failed)
        outcome = fail(errc::conflict, "record was modified since the caller read it (If-Match)");
    const auto recorded = co_await record(caller, operation.name, *note, outcome);
    // A change without an audit entry is reported as failed.
    if (response && !recorded) co_return fail(recorded.error());
    co_return response;
}

}  // namespace muster::api
