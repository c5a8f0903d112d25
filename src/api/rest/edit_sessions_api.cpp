#include "api/rest/edit_sessions_api.h"

#include "api/rest/edits_json.h"
#include "base/iso_time.h"
#include "core/revision/common_operations.h"
#include "ports/deadline.h"
#include "services/revision/revision_publisher.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::api {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;
using access::right;
using revision::draft_state;

constexpr auto apply_timeout = 10s;
constexpr auto apply_look = 50ms;

// Whether somebody may apply now, and why not.
json::object apply_json(const revision::edit_state_snapshot& view) {
    json::object response{{"allowed", false}, {"reason", nullptr}};
    if (!view.now || view.now->editors.empty()) {
        response["reason"] = "nobody edits";
        return response;
    }
    const auto may = revision::may_apply(*view.now, view.now->editors.front().id);
    if (may)
        response["allowed"] = true;
    else
        response["reason"] = may.error().detail();
    return response;
}

const std::string* item_in(
    const revision::sources& held,
    const std::string& section,
    const std::string& name,
    std::map<std::string, std::optional<revision::section>>& read) {
    for (const auto& each : held) {
        if (each.name != section) continue;
        auto it = read.find(section);
        if (it == read.end()) it = read.emplace(section, each.held()).first;
        if (!it->second) return nullptr;
        const auto item = it->second->items.find(name);
        return item == it->second->items.end() ? nullptr : &item->second;
    }
    return nullptr;
}

}  // namespace

action edit_sessions_api::at_leader(step does) {
    return [this, does](call request) {
        return deps_.changes.at_leader(std::move(request), [this, does](claim as, call there) {
            return (this->*does)(std::move(as), std::move(there));
        });
    };
}

result<void> edit_sessions_api::declare(registry& to) {
    CHECK_OK(declare_reading(to));
    return declare_changing(to);
}

json::object edit_sessions_api::draft_in_short(const revision::edit_state_snapshot& view) const {
    if (!view.now)
        return {
            {"state", "none"},
            {"changes", 0},
            {"base", view.head ? view.head->number : 0},
            {"since", nullptr},
            {"error", nullptr}};
    const auto& now = *view.now;
    json::object response{
        {"state", revision::to_string(now.state)},
        {"changes", now.count},
        {"base", now.base},
        {"since", iso_time(now.since)},
        {"error", nullptr}};
    if (!now.error.empty()) response["error"] = now.error;
    return response;
}

async<reply> edit_sessions_api::list(call call) {
    const auto view = deps_.edit_state.read();
    json::array items;
    if (view->now)
        for (const auto& editor : view->now->editors)
            items.push_back(edit_json(editor, deps_.drafts.rules(), call.who().user));
    json::object response{
        {"items", std::move(items)},
        {"next", nullptr},
        {"leader", leader_json(view->leads())},
        {"draft", draft_in_short(*view)},
        {"single", deps_.drafts.rules().single},
        {"apply", apply_json(*view)},
        {"revision", nullptr}};
    if (view->head) response["revision"] = revision_json(*view->head);
    co_return reply{std::move(response)};
}

reply edit_sessions_api::session_reply(
    const call& call, const revision::draft_service::session& of) const {
    auto response = edit_json(of.who, deps_.drafts.rules(), call.who().user);
    json::array others;
    for (const auto& editor : of.now.editors)
        if (editor.id != of.who.id)
            others.push_back(edit_json(editor, deps_.drafts.rules(), call.who().user));
    response["others"] = std::move(others);
    response["leader"] = leader_json(deps_.edit_state.read()->leads());
    return reply{std::move(response)};
}

async<reply> edit_sessions_api::show(call call) {
    const auto view = deps_.edit_state.read();
    const auto* const who = view->now ? view->now->find(call.text("edit")) : nullptr;
    if (who == nullptr)
        co_return fail(errc::not_found, "there is no editing session " + call.text("edit"));
    co_return session_reply(call, {.who = *who, .now = *view->now});
}

async<reply> edit_sessions_api::show_draft(call call) {
    const auto view = deps_.edit_state.read();
    std::map<std::string, std::optional<revision::section>> read;
    json::array items;
    bool first = true;
    for (const auto& [number, each] : view->changes) {
        if (!view->now || number <= view->now->done) continue;
        auto one = change_json(each);
        if (call.who().may.everywhere(revision::right_to_read(each.section))) {
            one["before"] = item_json(item_in(deps_.held, each.section, each.name, read));
        } else {
            one["name"] = "";
            one["arguments"] = nullptr;
        }
        // What halted a draft is the first of what is left.
        const bool failed = view->now->state == draft_state::halted && std::exchange(first, false);
        if (failed) one["error"] = view->now->error;
        items.push_back(std::move(one));
    }
    const auto in_short = draft_in_short(*view);
    co_return reply{json::object{
        {"items", std::move(items)},
        {"next", nullptr},
        {"state", in_short.at("state")},
        {"base", in_short.at("base")}}};
}

async<void> edit_sessions_api::check_owner(const call* call, others what) {
    CO_TRY(const auto now, co_await within(deps_.clock, engine_timeout, deps_.drafts.look()));
    const auto& edit = call->text("edit");
    const auto* const session = now ? now->find(edit) : nullptr;
    if (session == nullptr)
        co_return fail(
            errc::not_found,
            "there is no editing session " + edit
                + "; it ended: begin another one, the draft is kept");
    if (session->user == call->who().user) co_return result<void>();
    if (what == others::with_apply && call->who().may.everywhere(right::common_apply))
        co_return result<void>();
    co_return fail(errc::denied, "this is the editing session of " + session->user);
}

async<reply> edit_sessions_api::begin(claim as, call call) {
    auto work = deps_.drafts.begin(as, call.who().user, call.optional_text("note").value_or(""));
    CO_TRY(const auto result, co_await within(deps_.clock, engine_timeout, std::move(work)));
    call.set_subject(result.who.id);
    auto response = session_reply(call, result);
    // The leader is known before anybody is told that they may edit; memory may be behind.
    if (response.content.as_object()["leader"].is_null()) {
        const auto record = revision::decode_leader(as.value);
        if (record) response.content.as_object()["leader"] = leader_json(&*record);
    }
    co_return response;
}

async<reply> edit_sessions_api::stay(claim as, call call) {
    CO_CHECK_OK(co_await check_owner(&call, others::refuse));
    auto work = deps_.drafts.stay(std::move(as), call.text("edit"));
    CO_TRY(const auto now, co_await within(deps_.clock, engine_timeout, std::move(work)));
    auto response = session_reply(call, now);
    response.recorded = true;  // nothing was changed
    co_return response;
}

async<reply> edit_sessions_api::end(claim as, call call) {
    CO_CHECK_OK(co_await check_owner(&call, others::with_apply));
    auto work = deps_.drafts.end(std::move(as), call.text("edit"));
    CO_TRY(const auto left, co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return reply{json::object{{"ended", left.who.id}, {"changes", left.now.count}}};
}

async<reply> edit_sessions_api::discard(claim as, call call) {
    CO_CHECK_OK(co_await check_owner(&call, others::refuse));
    auto work = deps_.drafts.discard(std::move(as), call.text("edit"));
    CO_TRY(const auto count, co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return reply{json::object{{"discarded", count}}};
}

async<reply> edit_sessions_api::drop(claim as, call call) {
    CO_CHECK_OK(co_await check_owner(&call, others::refuse));
    CO_TRY(const auto number, read_number(call.text("number")));
    auto work = deps_.drafts.drop(std::move(as), call.text("edit"), number);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return reply{json::object{{"dropped", number}}};
}

async<reply> edit_sessions_api::apply(claim as, call call) {
    CO_CHECK_OK(co_await check_owner(&call, others::refuse));
    auto work = deps_.drafts.begin_apply(
        std::move(as),
        {.by = call.who().user,
         .edit = call.text("edit"),
         .note = call.optional_text("note").value_or(""),
         .since = {}});
    CO_TRY(const auto begun, co_await within(deps_.clock, engine_timeout, std::move(work)));
    call.set_subject(call.text("edit") + ": " + std::to_string(begun.count) + " changes");
    deps_.changes.wake_reconciler();
    co_return co_await outcome_of(begun.id, std::move(call));
}

// The keeper carries it out; whoever asked waits a while. What is told is read from the record:
// memory may still be where there was no such draft, or no such revision. A look that fails says
// nothing about the work, which goes on.
async<reply> edit_sessions_api::outcome_of(std::string draft, call call) {
    const instant until = deps_.clock.now() + apply_timeout;
    while (deps_.clock.now() < until) {
        CO_CHECK_OK(co_await deps_.clock.sleep_for(apply_look));
        const auto now = co_await within(deps_.clock, engine_timeout, deps_.drafts.look());
        if (!now) continue;
        const bool there = *now && (*now)->id == draft;
        if (there && (*now)->state == draft_state::halted)
            co_return fail(
                errc::conflict,
                (*now)->error
                    + "; what came before it is in force, the rest is still in the draft: change "
                      "or drop it, and apply again");
        if (there) continue;
        auto reading = revision::read_head(&call.context().engines.metastore);
        const auto head = co_await within(deps_.clock, engine_timeout, std::move(reading));
        if (head && *head)
            co_return reply{
                json::object{{"state", "applied"}, {"revision", revision_json(**head)}}};
    }
    co_return reply{.content = json::object{{"state", "applying"}}, .status = 202};
}

}  // namespace muster::api
