#include "api/rest/common_changes.h"

#include "core/revision/common_operations.h"
#include "ports/deadline.h"
#include "api/operations/carried_rights.h"
#include "api/rest/edits_json.h"
#include "api/operations/json_value.h"
#include "services/revision/keeper.h"
#include "services/revision/keys.h"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace muster::api {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;
using revision::leadership;

constexpr int attempts_max = 10;
constexpr auto attempt_pause = 100ms;
constexpr std::size_t subject_bytes_max = 200;

// Gives the turn back whatever happens, also when whoever asked has hung up.
class turn {
public:
    turn(leadership& from, leadership::claim held) : from_(from), held_(std::move(held)) {}
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
    leadership& from_;
    leadership::claim held_;
    bool ended_ = false;
};

bool is_empty_text(const api::value& given) {
    return given.holds<std::string>() && given.get<std::string>()->empty();
}

result<void> check_one_step(const call& asked) {
    if (!revision::takes_several_steps(asked.operation().name, asked.arguments())) return {};
    return fail(
        errc::invalid,
        asked.operation().name
            + " changes several things one after the other, which a draft cannot hold: make this "
              "change by itself, while nobody edits");
}

result<void> check_without_secrets(const call& asked) {
    for (const auto& each : asked.operation().takes) {
        const auto* const given = asked.arguments().find(each.name);
        const bool empty = given == nullptr || given->is_nothing() || is_empty_text(*given);
        if (each.secret && !empty)
            return fail(
                errc::invalid,
                "`" + each.name
                    + "` is a secret, and a draft is read by others: make this change by itself, "
                      "while nobody edits");
    }
    return {};
}

revision::drafted_change change_of(const call& asked) {
    const auto item = revision::item_of(asked.operation().name);
    const auto* const name = asked.arguments().find(item.named_by);
    return {
        .number = 0,
        .operation = asked.operation().name,
        .section = std::string(item.section),
        .name = name != nullptr && name->holds<std::string>() ? *name->get<std::string>()
                                                              : std::string(),
        .arguments = json::serialize(to_json(asked.arguments())),
        .by = asked.who().user,
        .may = encode_rights(asked.who().may, people::parents_of(*asked.desk().topology.read())),
        .edit = asked.edit,
        .at = {}};
}

// What may have happened is told, too.
bool may_have_happened(const result<reply>& outcome, const call::audit_note& about) {
    return outcome || about.partly_done || outcome.error().code() == errc::timed_out;
}

}  // namespace

async<reply> common_changes::pass(api::sharing how, action does, call asked) {
    if (asked.applied) return does(std::move(asked));
    if (!asked.edit.empty())
        return at_leader(std::move(asked), [this](leadership::claim as, call draft) {
            return write_into_draft(std::move(as), std::move(draft));
        });
    if (how == api::sharing::draft) return does(std::move(asked));
    return change_now(std::move(does), std::move(asked));
}

async<reply> common_changes::change_now(action does, call asked) {
    auto taking = around_.seat.take_turn(asked.who().user, revision::may_change_directly);
    CO_TRY(auto claim, co_await within(around_.time, 2 * engine_patience, std::move(taking)));
    turn held(around_.seat, std::move(claim));
    const auto about = asked.note();
    revision::change_note note{
        .by = asked.who().user, .operation = asked.operation().name, .subject = {}, .at = {}};
    auto outcome = co_await does(std::move(asked));
    std::vector<kv::operation> with;
    if (may_have_happened(outcome, *about)) {
        note.at = around_.time.wall();
        note.subject = about->subject.substr(0, subject_bytes_max);
        const auto name = revision::note_name(around_.server, note.at.time_since_epoch().count());
        with.emplace_back(kv::put{
            .key = revision::keys::under(revision::keys::notes, name), .value = encode(note)});
    }
    const auto ended = co_await within(around_.time, engine_patience, held.end(std::move(with)));
    if (!ended)
        around_.log.warning(
            "a change of common data is done, and its revision comes late",
            {{"operation", note.operation}, {"reason", to_string(ended.error())}});
    around_.changed();
    co_return outcome;
}

async<reply> common_changes::at_leader(call asked, work does) {
    for (int attempt = 1;; ++attempt) {
        auto finding = around_.seat.lead();
        CO_TRY(auto seat, co_await within(around_.time, 2 * engine_patience, std::move(finding)));
        auto work = seat.other ? around_.line.forward(*std::move(seat.other), asked)
                               : does(*std::move(seat.own), asked);
        auto done = co_await std::move(work);
        around_.changed();
        // The lead may have gone at this very moment, here or there; nothing was done then.
        const bool again = !done && done.error().code() == errc::unavailable;
        if (!again || attempt == attempts_max) co_return done;
        CO_CHECK_OK(co_await around_.time.sleep_for(attempt_pause));
    }
}

async<reply> common_changes::write_into_draft(leadership::claim as, call asked) {
    CO_CHECK_OK(check_without_secrets(asked));
    CO_CHECK_OK(check_one_step(asked));
    auto change = change_of(asked);
    CO_TRY(const auto now, co_await within(around_.time, engine_patience, around_.desk.look()));
    const auto* const session = now ? now->find(asked.edit) : nullptr;
    if (session != nullptr && session->user != asked.who().user)
        co_return fail(errc::denied, "this is the editing session of " + session->user);
    auto writing = around_.desk.add(std::move(as), std::move(change));
    CO_TRY(const auto made, co_await within(around_.time, engine_patience, std::move(writing)));
    asked.set_subject(
        "change " + std::to_string(made.number) + " of the draft: " + asked.note()->subject);
    co_return reply{
        .content = json::object{{"edit", made.edit}, {"change", change_json(made)}}, .status = 202};
}

async<void> common_changes::carry_out(
    revision::drafted_change change, const registry* all, const front_desk* desk) {
    json::error_code failure;
    const auto arguments = json::parse(change.arguments, failure);
    if (failure) co_return fail(errc::corrupt, "the change's arguments cannot be read");
    auto meant = find_operation(*all, around_.others, change.operation, from_json(arguments));
    if (!meant) co_return fail(errc::invalid, "this server does not know " + change.operation);
    visitor author;
    CO_TRY(author.desk, desk->enter());
    const auto people = author.desk->people.known.read();
    const auto found = people->users->find(change.by);
    if (found == people->users->end() || found->second.record.disabled)
        co_return fail(errc::denied, change.by + ", who made it, is no longer let in");
    CO_TRY(const auto limit, decode_rights(change.may));
    author.zones = std::make_shared<const access::zone_parents>(
        people::parents_of(*author.desk->topology.read()));
    author.user = change.by;
    author.may = access::permissions(found->second.record.grants, *people->meanings)
                     .within(limit, *author.zones);
    author.origin = "draft";
    call made(*meant->what, std::move(author), std::move(meant->arguments));
    made.applied = true;
    CO_CHECK_OK(co_await all->perform(*meant->what, meant->does, std::move(made)));
    co_return result<void>();
}

}  // namespace muster::api
