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
constexpr auto apply_poll_interval = 50ms;

// Whether the draft may be applied now, and why not.
json::object apply_json(const revision::edit_state_snapshot& snapshot) {
    json::object response{{"allowed", false}, {"reason", nullptr}};
    if (!snapshot.current_draft || snapshot.current_draft->editors.empty()) {
        response["reason"] = "no edit session is open";
        return response;
    }
    const auto allowed =
        revision::may_apply(*snapshot.current_draft, snapshot.current_draft->editors.front().id);
    if (allowed)
        response["allowed"] = true;
    else
        response["reason"] = allowed.error().detail();
    return response;
}

const std::string* find_item(
    const revision::sources& sources,
    const std::string& section,
    const std::string& name,
    std::map<std::string, std::optional<revision::section>>& sections) {
    for (const auto& source : sources) {
        if (source.name != section) continue;
        auto it = sections.find(section);
        if (it == sections.end()) it = sections.emplace(section, source.held()).first;
        if (!it->second) return nullptr;
        const auto item = it->second->items.find(name);
        return item == it->second->items.end() ? nullptr : &item->second;
    }
    return nullptr;
}

}  // namespace

operation_handler edit_sessions_api::on_leader(step step) {
    return [this, step](call request) {
        return deps_.changes.run_on_leader(
            std::move(request), [this, step](claim claim, call leader_call) {
                return (this->*step)(std::move(claim), std::move(leader_call));
            });
    };
}

result<void> edit_sessions_api::declare(registry& operations) {
    CHECK_OK(declare_reading(operations));
    return declare_changing(operations);
}

json::object edit_sessions_api::draft_summary(const revision::edit_state_snapshot& snapshot) const {
    if (!snapshot.current_draft)
        return {
            {"state", "none"},
            {"changes", 0},
            {"base", snapshot.head ? snapshot.head->number : 0},
            {"since", nullptr},
            {"error", nullptr}};
    const auto& draft = *snapshot.current_draft;
    json::object response{
        {"state", revision::to_string(draft.state)},
        {"changes", draft.count},
        {"base", draft.base},
        {"since", iso_time(draft.since)},
        {"error", nullptr}};
    if (!draft.error.empty()) response["error"] = draft.error;
    return response;
}

async<reply> edit_sessions_api::list(call call) {
    const auto snapshot = deps_.edit_state.read();
    json::array items;
    if (snapshot->current_draft)
        for (const auto& editor : snapshot->current_draft->editors)
            items.push_back(edit_json(editor, deps_.drafts.rules(), call.caller().user));
    json::object response{
        {"items", std::move(items)},
        {"next", nullptr},
        {"leader", leader_json(snapshot->edit_leader())},
        {"draft", draft_summary(*snapshot)},
        {"single", deps_.drafts.rules().single},
        {"apply", apply_json(*snapshot)},
        {"revision", nullptr}};
    if (snapshot->head) response["revision"] = revision_json(*snapshot->head);
    co_return reply{std::move(response)};
}

reply edit_sessions_api::session_reply(
    const call& call, const revision::draft_service::session& session) const {
    auto response = edit_json(session.editor, deps_.drafts.rules(), call.caller().user);
    json::array foreign_sessions;
    for (const auto& editor : session.draft.editors)
        if (editor.id != session.editor.id)
            foreign_sessions.push_back(edit_json(editor, deps_.drafts.rules(), call.caller().user));
    response["others"] = std::move(foreign_sessions);
    response["leader"] = leader_json(deps_.edit_state.read()->edit_leader());
    return reply{std::move(response)};
}

async<reply> edit_sessions_api::show(call call) {
    const auto snapshot = deps_.edit_state.read();
    const auto* const session =
        snapshot->current_draft ? snapshot->current_draft->find(call.text("edit")) : nullptr;
    if (session == nullptr)
        co_return fail(errc::not_found, "edit session \"" + call.text("edit") + "\" not found");
    co_return session_reply(call, {.editor = *session, .draft = *snapshot->current_draft});
}

async<reply> edit_sessions_api::show_draft(call call) {
    const auto snapshot = deps_.edit_state.read();
    std::map<std::string, std::optional<revision::section>> sections;
    json::array items;
    bool first = true;
    for (const auto& [number, change] : snapshot->changes) {
        if (!snapshot->current_draft || number <= snapshot->current_draft->done) continue;
        auto item = change_json(change);
        if (call.caller().may.everywhere(revision::right_to_read(change.section))) {
            item["before"] =
                item_json(find_item(deps_.held, change.section, change.name, sections));
        } else {
            item["name"] = "";
            item["arguments"] = nullptr;
        }
        // The first remaining change is the one that failed.
        const bool is_failed =
            snapshot->current_draft->state == draft_state::halted && std::exchange(first, false);
        if (is_failed) item["error"] = snapshot->current_draft->error;
        items.push_back(std::move(item));
    }
    const auto summary = draft_summary(*snapshot);
    co_return reply{json::object{
        {"items", std::move(items)},
        {"next", nullptr},
        {"state", summary.at("state")},
        {"base", summary.at("base")}}};
}

async<void> edit_sessions_api::check_owner(const call* call, foreign_sessions foreign) {
    CO_TRY(
        const auto draft, co_await within(deps_.clock, engine_timeout, deps_.drafts.read_draft()));
    const auto& edit = call->text("edit");
    const auto* const session = draft ? draft->find(edit) : nullptr;
    if (session == nullptr)
        co_return fail(
            errc::not_found,
            "edit session \"" + edit
                + "\" not found or ended; begin a new session (the draft is kept)");
    if (session->user == call->caller().user) co_return result<void>();
    if (foreign == foreign_sessions::with_apply
        && call->caller().may.everywhere(right::common_apply))
        co_return result<void>();
    co_return fail(errc::denied, "edit session belongs to user \"" + session->user + "\"");
}

async<reply> edit_sessions_api::begin(claim claim, call call) {
    auto work =
        deps_.drafts.begin(claim, call.caller().user, call.optional_text("note").value_or(""));
    CO_TRY(const auto session, co_await within(deps_.clock, engine_timeout, std::move(work)));
    call.set_subject(session.editor.id);
    auto response = session_reply(call, session);
    // A session response must name the leader, but the cache may lag behind.
    if (response.content.as_object()["leader"].is_null()) {
        const auto record = revision::decode_leader(claim.value);
        if (record) response.content.as_object()["leader"] = leader_json(&*record);
    }
    co_return response;
}

async<reply> edit_sessions_api::keep_alive(claim claim, call call) {
    CO_CHECK_OK(co_await check_owner(&call, foreign_sessions::refuse));
    auto work = deps_.drafts.keep_alive(std::move(claim), call.text("edit"));
    CO_TRY(const auto session, co_await within(deps_.clock, engine_timeout, std::move(work)));
    auto response = session_reply(call, session);
    response.recorded = true;  // no change: no audit entry
    co_return response;
}

async<reply> edit_sessions_api::end(claim claim, call call) {
    CO_CHECK_OK(co_await check_owner(&call, foreign_sessions::with_apply));
    auto work = deps_.drafts.end(std::move(claim), call.text("edit"));
    CO_TRY(const auto session, co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return reply{json::object{{"ended", session.editor.id}, {"changes", session.draft.count}}};
}

async<reply> edit_sessions_api::discard(claim claim, call call) {
    CO_CHECK_OK(co_await check_owner(&call, foreign_sessions::refuse));
    auto work = deps_.drafts.discard(std::move(claim), call.text("edit"));
    CO_TRY(const auto count, co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return reply{json::object{{"discarded", count}}};
}

async<reply> edit_sessions_api::drop_change(claim claim, call call) {
    CO_CHECK_OK(co_await check_owner(&call, foreign_sessions::refuse));
    CO_TRY(const auto number, read_number(call.text("number")));
    auto work = deps_.drafts.drop(std::move(claim), call.text("edit"), number);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return reply{json::object{{"dropped", number}}};
}

async<reply> edit_sessions_api::apply(claim claim, call call) {
    CO_CHECK_OK(co_await check_owner(&call, foreign_sessions::refuse));
    auto work = deps_.drafts.begin_apply(
        std::move(claim),
        {.by = call.caller().user,
         .edit = call.text("edit"),
         .note = call.optional_text("note").value_or(""),
         .since = {}});
    CO_TRY(const auto draft, co_await within(deps_.clock, engine_timeout, std::move(work)));
    call.set_subject(call.text("edit") + ": " + std::to_string(draft.count) + " changes");
    deps_.changes.wake_reconciler();
    co_return co_await wait_for_apply(draft.id, std::move(call));
}

// The reconciler applies the draft; the caller waits for a while. Reads the store, because the
// cache may lag behind. A failed read is ignored: the work goes on.
async<reply> edit_sessions_api::wait_for_apply(std::string draft, call call) {
    const instant deadline = deps_.clock.now() + apply_timeout;
    while (deps_.clock.now() < deadline) {
        CO_CHECK_OK(co_await deps_.clock.sleep_for(apply_poll_interval));
        const auto current =
            co_await within(deps_.clock, engine_timeout, deps_.drafts.read_draft());
        if (!current) continue;
        const bool is_pending = *current && (*current)->id == draft;
        if (is_pending && (*current)->state == draft_state::halted)
            co_return fail(
                errc::conflict,
                (*current)->error
                    + "; earlier changes are applied, the failed and later changes remain in the "
                      "draft; change or drop the failed change and apply again");
        if (is_pending) continue;
        auto pending_read = revision::read_head(&call.context().engines.metastore);
        const auto head = co_await within(deps_.clock, engine_timeout, std::move(pending_read));
        if (head && *head)
            co_return reply{
                json::object{{"state", "applied"}, {"revision", revision_json(**head)}}};
    }
    co_return reply{.content = json::object{{"state", "applying"}}, .status = 202};
}

}  // namespace muster::api
