#include "api/rest/edits_api.h"

#include "base/iso_time.h"
#include "core/revision/common_operations.h"
#include "ports/deadline.h"
#include "api/rest/edits_json.h"
#include "services/revision/press.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::api {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;
using access::right;
using revision::draft_state;

constexpr auto apply_patience = 10s;
constexpr auto apply_look = 50ms;

// Whether somebody may apply now, and why not.
json::object apply_json(const revision::common_view& view) {
    json::object told{{"allowed", false}, {"reason", nullptr}};
    if (!view.now || view.now->editors.empty()) {
        told["reason"] = "nobody edits";
        return told;
    }
    const auto may = revision::may_apply(*view.now, view.now->editors.front().id);
    if (may)
        told["allowed"] = true;
    else
        told["reason"] = may.error().detail();
    return told;
}

const std::string* item_in(
    const revision::sources& held,
    const std::string& section,
    const std::string& name,
    std::map<std::string, std::optional<revision::section>>& read) {
    for (const auto& each : held) {
        if (each.name != section) continue;
        auto found = read.find(section);
        if (found == read.end()) found = read.emplace(section, each.held()).first;
        if (!found->second) return nullptr;
        const auto item = found->second->items.find(name);
        return item == found->second->items.end() ? nullptr : &item->second;
    }
    return nullptr;
}

}  // namespace

action edits_api::at_leader(step does) {
    return [this, does](call asked) {
        return around_.changes.at_leader(std::move(asked), [this, does](claim as, call there) {
            return (this->*does)(std::move(as), std::move(there));
        });
    };
}

result<void> edits_api::declare(registry& to) {
    CHECK_OK(declare_reading(to));
    return declare_changing(to);
}

json::object edits_api::draft_in_short(const revision::common_view& view) const {
    if (!view.now)
        return {
            {"state", "none"},
            {"changes", 0},
            {"base", view.head ? view.head->number : 0},
            {"since", nullptr},
            {"error", nullptr}};
    const auto& now = *view.now;
    json::object told{
        {"state", revision::to_string(now.state)},
        {"changes", now.count},
        {"base", now.base},
        {"since", iso_time(now.since)},
        {"error", nullptr}};
    if (!now.error.empty()) told["error"] = now.error;
    return told;
}

async<reply> edits_api::list(call asked) {
    const auto view = around_.known.read();
    json::array items;
    if (view->now)
        for (const auto& each : view->now->editors)
            items.push_back(edit_json(each, around_.desk.rules(), asked.who().user));
    json::object told{
        {"items", std::move(items)},
        {"next", nullptr},
        {"leader", leader_json(view->leads())},
        {"draft", draft_in_short(*view)},
        {"single", around_.desk.rules().single},
        {"apply", apply_json(*view)},
        {"revision", nullptr}};
    if (view->head) told["revision"] = revision_json(*view->head);
    co_return reply{std::move(told)};
}

reply edits_api::session_reply(const call& asked, const revision::draft_desk::session& of) const {
    auto told = edit_json(of.who, around_.desk.rules(), asked.who().user);
    json::array others;
    for (const auto& each : of.now.editors)
        if (each.id != of.who.id)
            others.push_back(edit_json(each, around_.desk.rules(), asked.who().user));
    told["others"] = std::move(others);
    told["leader"] = leader_json(around_.known.read()->leads());
    return reply{std::move(told)};
}

async<reply> edits_api::show(call asked) {
    const auto view = around_.known.read();
    const auto* const who = view->now ? view->now->find(asked.text("edit")) : nullptr;
    if (who == nullptr)
        co_return fail(errc::not_found, "there is no editing session " + asked.text("edit"));
    co_return session_reply(asked, {.who = *who, .now = *view->now});
}

async<reply> edits_api::show_draft(call asked) {
    const auto view = around_.known.read();
    std::map<std::string, std::optional<revision::section>> read;
    json::array items;
    bool first = true;
    for (const auto& [number, each] : view->changes) {
        if (!view->now || number <= view->now->done) continue;
        auto one = change_json(each);
        if (asked.who().may.everywhere(revision::right_to_read(each.section))) {
            one["before"] = item_json(item_in(around_.held, each.section, each.name, read));
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

async<void> edits_api::check_owner(const call* asked, others what) {
    CO_TRY(const auto now, co_await within(around_.time, engine_patience, around_.desk.look()));
    const auto& edit = asked->text("edit");
    const auto* const session = now ? now->find(edit) : nullptr;
    if (session == nullptr)
        co_return fail(
            errc::not_found,
            "there is no editing session " + edit
                + "; it ended: begin another one, the draft is kept");
    if (session->user == asked->who().user) co_return result<void>();
    if (what == others::with_apply && asked->who().may.everywhere(right::common_apply))
        co_return result<void>();
    co_return fail(errc::denied, "this is the editing session of " + session->user);
}

async<reply> edits_api::begin(claim as, call asked) {
    auto work = around_.desk.begin(as, asked.who().user, asked.optional_text("note").value_or(""));
    CO_TRY(const auto made, co_await within(around_.time, engine_patience, std::move(work)));
    asked.set_subject(made.who.id);
    auto told = session_reply(asked, made);
    // The leader is known before anybody is told that they may edit; memory may be behind.
    if (told.content.as_object()["leader"].is_null()) {
        const auto record = revision::decode_leader(as.value);
        if (record) told.content.as_object()["leader"] = leader_json(&*record);
    }
    co_return told;
}

async<reply> edits_api::stay(claim as, call asked) {
    CO_CHECK_OK(co_await check_owner(&asked, others::refuse));
    auto work = around_.desk.stay(std::move(as), asked.text("edit"));
    CO_TRY(const auto now, co_await within(around_.time, engine_patience, std::move(work)));
    auto told = session_reply(asked, now);
    told.recorded = true;  // nothing was changed
    co_return told;
}

async<reply> edits_api::end(claim as, call asked) {
    CO_CHECK_OK(co_await check_owner(&asked, others::with_apply));
    auto work = around_.desk.end(std::move(as), asked.text("edit"));
    CO_TRY(const auto left, co_await within(around_.time, engine_patience, std::move(work)));
    co_return reply{json::object{{"ended", left.who.id}, {"changes", left.now.count}}};
}

async<reply> edits_api::discard(claim as, call asked) {
    CO_CHECK_OK(co_await check_owner(&asked, others::refuse));
    auto work = around_.desk.discard(std::move(as), asked.text("edit"));
    CO_TRY(const auto count, co_await within(around_.time, engine_patience, std::move(work)));
    co_return reply{json::object{{"discarded", count}}};
}

async<reply> edits_api::drop(claim as, call asked) {
    CO_CHECK_OK(co_await check_owner(&asked, others::refuse));
    CO_TRY(const auto number, read_number(asked.text("number")));
    auto work = around_.desk.drop(std::move(as), asked.text("edit"), number);
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(work)));
    co_return reply{json::object{{"dropped", number}}};
}

async<reply> edits_api::apply(claim as, call asked) {
    CO_CHECK_OK(co_await check_owner(&asked, others::refuse));
    auto work = around_.desk.begin_apply(
        std::move(as),
        {.by = asked.who().user,
         .edit = asked.text("edit"),
         .note = asked.optional_text("note").value_or(""),
         .since = {}});
    CO_TRY(const auto begun, co_await within(around_.time, engine_patience, std::move(work)));
    asked.set_subject(asked.text("edit") + ": " + std::to_string(begun.count) + " changes");
    around_.changes.ring();
    co_return co_await outcome_of(begun.id, std::move(asked));
}

// The keeper carries it out; whoever asked waits a while. What is told is read from the record:
// memory may still be where there was no such draft, or no such revision. A look that fails says
// nothing about the work, which goes on.
async<reply> edits_api::outcome_of(std::string draft, call asked) {
    const instant until = around_.time.now() + apply_patience;
    while (around_.time.now() < until) {
        CO_CHECK_OK(co_await around_.time.sleep_for(apply_look));
        const auto now = co_await within(around_.time, engine_patience, around_.desk.look());
        if (!now) continue;
        const bool there = *now && (*now)->id == draft;
        if (there && (*now)->state == draft_state::halted)
            co_return fail(
                errc::conflict,
                (*now)->error
                    + "; what came before it is in force, the rest is still in the draft: change "
                      "or drop it, and apply again");
        if (there) continue;
        auto reading = revision::read_head(&asked.desk().engines.metadata);
        const auto head = co_await within(around_.time, engine_patience, std::move(reading));
        if (head && *head)
            co_return reply{
                json::object{{"state", "applied"}, {"revision", revision_json(**head)}}};
    }
    co_return reply{.content = json::object{{"state", "applying"}}, .status = 202};
}

}  // namespace muster::api
