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

// Gives the turn back whatever happens, also when whoever asked has hung up.
class turn {
public:
    turn(edit_lock& from, edit_lock::claim held) : from_(from), held_(std::move(held)) {}
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    ~turn() {
        if (!ended_) from_.drop(held_);
    }

    async<bool> end(std::vector<kv::operation> with) {
        auto done = co_await from_.let_go(held_, std::move(with));
        ended_ = done.has_value();
        co_return done;
    }

private:
    edit_lock& from_;
    edit_lock::claim held_;
    bool ended_ = false;
};

bool is_empty_text(const api::value& input) {
    return input.holds<std::string>() && input.get<std::string>()->empty();
}

result<void> check_one_step(const call& call) {
    if (!revision::takes_several_steps(call.operation().name, call.arguments())) return {};
    return fail(
        errc::invalid,
        call.operation().name
            + " changes several things one after the other, which a draft cannot hold: make this "
              "change by itself, while nobody edits");
}

result<void> check_without_secrets(const call& call) {
    for (const auto& take : call.operation().takes) {
        const auto* const given = call.arguments().find(take.name);
        const bool empty = given == nullptr || given->is_nothing() || is_empty_text(*given);
        if (take.secret && !empty)
            return fail(
                errc::invalid,
                "`" + take.name
                    + "` is a secret, and a draft is read by others: make this change by itself, "
                      "while nobody edits");
    }
    return {};
}

revision::draft_change change_of(const call& call) {
    const auto item = revision::item_of(call.operation().name);
    const auto* const name = call.arguments().find(item.named_by);
    return {
        .number = 0,
        .operation = call.operation().name,
        .section = std::string(item.section),
        .name = name != nullptr && name->holds<std::string>() ? *name->get<std::string>()
                                                              : std::string(),
        .arguments = json::serialize(to_json(call.arguments())),
        .by = call.who().user,
        .may = encode_rights(call.who().may, people::parents_of(*call.context().topology.read())),
        .edit = call.edit,
        .at = {}};
}

// What may have happened is told, too.
bool may_have_happened(const result<reply>& outcome, const call::audit_note& about) {
    return outcome || about.partly_done || outcome.error().code() == errc::timed_out;
}

}  // namespace

async<reply> draft_interceptor::pass(api::sharing sharing, action does, call request) {
    if (request.applied) return does(std::move(request));
    if (!request.edit.empty())
        return at_leader(std::move(request), [this](edit_lock::claim as, call draft) {
            return write_into_draft(std::move(as), std::move(draft));
        });
    if (sharing == api::sharing::draft) return does(std::move(request));
    return change_now(std::move(does), std::move(request));
}

async<reply> draft_interceptor::change_now(action does, call call) {
    auto taking = deps_.lock.take_turn(call.who().user, revision::may_change_directly);
    CO_TRY(auto claim, co_await within(deps_.clock, 2 * engine_timeout, std::move(taking)));
    turn held(deps_.lock, std::move(claim));
    const auto about = call.note();
    revision::direct_change note{
        .by = call.who().user, .operation = call.operation().name, .subject = {}, .at = {}};
    auto outcome = co_await does(std::move(call));
    std::vector<kv::operation> with;
    if (may_have_happened(outcome, *about)) {
        note.at = deps_.clock.wall();
        note.subject = about->subject.substr(0, subject_bytes_max);
        const auto name = revision::note_name(deps_.server, note.at.time_since_epoch().count());
        with.emplace_back(kv::put{
            .key = revision::keys::under(revision::keys::notes, name), .value = encode(note)});
    }
    const auto ended = co_await within(deps_.clock, engine_timeout, held.end(std::move(with)));
    if (!ended)
        deps_.log.warning(
            "a change of common data is done, and its revision comes late",
            {{"operation", note.operation}, {"reason", to_string(ended.error())}});
    deps_.reconciler.wake();
    co_return outcome;
}

async<reply> draft_interceptor::at_leader(call call, work does) {
    for (int attempt = 1;; ++attempt) {
        auto finding = deps_.lock.lead();
        CO_TRY(auto seat, co_await within(deps_.clock, 2 * engine_timeout, std::move(finding)));
        auto work = seat.other ? deps_.leader.forward(*std::move(seat.other), call)
                               : does(*std::move(seat.own), call);
        auto done = co_await std::move(work);
        // The lead may have gone at this very moment, here or there; nothing was done then. The
        // reconciler is not woken: it would give back the lead that nobody needs yet, while the
        // next attempt takes it.
        const bool again = !done && done.error().code() == errc::unavailable;
        if (!again) deps_.reconciler.wake();
        if (!again || attempt == attempts_max) co_return done;
        CO_CHECK_OK(co_await deps_.clock.sleep_for(attempt_pause));
    }
}

async<reply> draft_interceptor::write_into_draft(edit_lock::claim as, call call) {
    CO_CHECK_OK(check_without_secrets(call));
    CO_CHECK_OK(check_one_step(call));
    auto change = change_of(call);
    CO_TRY(const auto now, co_await within(deps_.clock, engine_timeout, deps_.drafts.look()));
    const auto* const session = now ? now->find(call.edit) : nullptr;
    if (session != nullptr && session->user != call.who().user)
        co_return fail(errc::denied, "this is the editing session of " + session->user);
    auto writing = deps_.drafts.add(std::move(as), std::move(change));
    CO_TRY(const auto result, co_await within(deps_.clock, engine_timeout, std::move(writing)));
    call.set_subject(
        "change " + std::to_string(result.number) + " of the draft: " + call.note()->subject);
    co_return reply{
        .content = json::object{{"edit", result.edit}, {"change", change_json(result)}},
        .status = 202};
}

}  // namespace muster::api
