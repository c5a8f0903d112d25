#include "api/rest/draft_interceptor.h"

#include "api/operations/json_value.h"
#include "api/operations/permissions_codec.h"
#include "api/rest/edits_json.h"
#include "core/revision/common_operations.h"
#include "ports/deadline.h"
#include "services/revision/keys.h"
#include "services/revision/revision_reconciler.h"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace muster::api {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;
using revision::edit_lock;

constexpr int attempts_max = 10;
constexpr auto attempt_pause = 100ms;
constexpr std::size_t subject_bytes_max = 200;

// Releases the edit lock in any case, also when the client has disconnected.
class held_lock {
public:
    held_lock(edit_lock& lock, edit_lock::claim claim) : lock_(lock), claim_(std::move(claim)) {}
    held_lock(const held_lock&) = delete;
    held_lock& operator=(const held_lock&) = delete;
    ~held_lock() {
        if (!ended_) lock_.release_later(claim_);
    }

    async<bool> end(std::vector<kv::operation> operations) {
        auto released = co_await lock_.release(claim_, std::move(operations));
        ended_ = released.has_value();
        co_return released;
    }

private:
    edit_lock& lock_;
    edit_lock::claim claim_;
    bool ended_ = false;
};

bool is_empty_text(const api::value& value) {
    return value.holds<std::string>() && value.get<std::string>()->empty();
}

result<void> check_one_step(const call& call) {
    if (!revision::takes_several_steps(call.operation().name, call.arguments())) return {};
    return fail(
        errc::invalid,
        call.operation().name
            + " takes several steps and cannot be part of a draft; make this change while no edit "
              "session is open");
}

result<void> check_without_secrets(const call& call) {
    for (const auto& parameter : call.operation().takes) {
        const auto* const argument = call.arguments().find(parameter.name);
        const bool empty =
            argument == nullptr || argument->is_nothing() || is_empty_text(*argument);
        if (parameter.secret && !empty)
            return fail(
                errc::invalid,
                "`" + parameter.name
                    + "` is a secret and cannot be part of a draft; make this change while no edit "
                      "session is open");
    }
    return {};
}

revision::draft_change to_draft_change(const call& call) {
    const auto item = revision::item_of(call.operation().name);
    const auto* const name = call.arguments().find(item.named_by);
    return {
        .number = 0,
        .operation = call.operation().name,
        .section = std::string(item.section),
        .name = name != nullptr && name->holds<std::string>() ? *name->get<std::string>()
                                                              : std::string(),
        .arguments = json::serialize(to_json(call.arguments())),
        .by = call.caller().user,
        .may = encode_rights(
            call.caller().may, people::to_zone_parents(*call.context().topology.read())),
        .edit = call.edit,
        .at = {}};
}

// Changes with an unknown outcome are reported, too.
bool may_have_happened(const result<reply>& outcome, const call::audit_note& note) {
    return outcome || note.partly_done || outcome.error().code() == errc::timed_out;
}

}  // namespace

async<reply> draft_interceptor::intercept(
    api::sharing sharing, operation_handler handler, call request) {
    if (request.from_draft) return handler(std::move(request));
    if (!request.edit.empty())
        return run_on_leader(std::move(request), [this](edit_lock::claim claim, call draft_call) {
            return write_into_draft(std::move(claim), std::move(draft_call));
        });
    if (sharing == api::sharing::draft) return handler(std::move(request));
    return change_directly(std::move(handler), std::move(request));
}

async<reply> draft_interceptor::change_directly(operation_handler handler, call call) {
    auto pending_lock = deps_.lock.take_turn(call.caller().user, revision::may_change_directly);
    CO_TRY(auto claim, co_await within(deps_.clock, 2 * engine_timeout, std::move(pending_lock)));
    held_lock lock(deps_.lock, std::move(claim));
    const auto audit_note = call.note();
    revision::direct_change direct_change{
        .by = call.caller().user, .operation = call.operation().name, .subject = {}, .at = {}};
    auto outcome = co_await handler(std::move(call));
    std::vector<kv::operation> operations;
    if (may_have_happened(outcome, *audit_note)) {
        direct_change.at = deps_.clock.wall();
        direct_change.subject = audit_note->subject.substr(0, subject_bytes_max);
        const auto name =
            revision::note_name(deps_.server, direct_change.at.time_since_epoch().count());
        operations.emplace_back(kv::put{
            .key = revision::keys::under(revision::keys::notes, name),
            .value = encode(direct_change)});
    }
    const auto released =
        co_await within(deps_.clock, engine_timeout, lock.end(std::move(operations)));
    if (!released)
        deps_.log.warning(
            "revision of a common data change delayed",
            {{"operation", direct_change.operation}, {"error", to_string(released.error())}});
    deps_.reconciler.wake();
    co_return outcome;
}

async<reply> draft_interceptor::run_on_leader(call call, leader_function function) {
    for (int attempt = 1;; ++attempt) {
        auto pending_lookup = deps_.lock.lead();
        CO_TRY(
            auto leader,
            co_await within(deps_.clock, 2 * engine_timeout, std::move(pending_lookup)));
        auto work = leader.other ? deps_.leader.forward(*std::move(leader.other), call)
                                 : function(*std::move(leader.own), call);
        auto response = co_await std::move(work);
        // The leader may have just changed; nothing was done then. Do not wake the reconciler: it
        // would release the leadership that the next attempt needs.
        const bool is_retryable = !response && response.error().code() == errc::unavailable;
        if (!is_retryable) deps_.reconciler.wake();
        if (!is_retryable || attempt == attempts_max) co_return response;
        CO_CHECK_OK(co_await deps_.clock.sleep_for(attempt_pause));
    }
}

async<reply> draft_interceptor::write_into_draft(edit_lock::claim claim, call call) {
    CO_CHECK_OK(check_without_secrets(call));
    CO_CHECK_OK(check_one_step(call));
    auto change = to_draft_change(call);
    CO_TRY(
        const auto draft, co_await within(deps_.clock, engine_timeout, deps_.drafts.read_draft()));
    const auto* const session = draft ? draft->find(call.edit) : nullptr;
    if (session != nullptr && session->user != call.caller().user)
        co_return fail(errc::denied, "edit session belongs to user \"" + session->user + "\"");
    auto pending_write = deps_.drafts.add(std::move(claim), std::move(change));
    CO_TRY(
        const auto added, co_await within(deps_.clock, engine_timeout, std::move(pending_write)));
    call.set_subject(
        "change " + std::to_string(added.number) + " of the draft: " + call.note()->subject);
    co_return reply{
        .content = json::object{{"edit", added.edit}, {"change", change_json(added)}},
        .status = 202};
}

}  // namespace muster::api
