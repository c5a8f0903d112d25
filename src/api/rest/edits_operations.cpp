// Operations of edit_sessions_api.h.

#include "api/rest/edit_sessions_api.h"
#include "api/rest/edits_json.h"

#include <utility>

namespace muster::api {
namespace {

using namespace api;
using access::right;

constexpr const char* edits_path = "/api/v1/edits";
constexpr const char* edit_path = "/api/v1/edits/{edit}";

std::int64_t note_bytes() {
    return static_cast<std::int64_t>(revision::draft_limits::note_bytes_max);
}

parameter edit_in_path() {
    return in_path("edit", name());
}

shape session_shape() {
    return edit_shape(
        {required("others", list_of(edit_shape())), required("leader", leader_shape())});
}

shape draft_shape() {
    return record_of(
        {required("state", name().with_about("none, open, applying or halted")),
         required("changes", integer(0)),
         required("base", integer(0).with_about("revision that the draft is based on")),
         required("since", api::time().or_nothing()),
         required("error", text().or_nothing())});
}

shape overview_shape() {
    return record_of(
        {required("items", list_of(edit_shape())),
         required("next", text().or_nothing()),
         required("leader", leader_shape()),
         required("draft", draft_shape()),
         required("single", flag().with_about("only one edit session is allowed at a time")),
         required(
             "apply",
             record_of({required("allowed", flag()), required("reason", text().or_nothing())})),
         required("revision", record_of(revision_members()).or_nothing())});
}

operation change_operation(std::string verb, std::string summary, std::string suffix = {}) {
    return {
        .name = "edits." + std::move(verb),
        .summary = std::move(summary),
        .method = verb::post,
        .path = edit_path + std::move(suffix),
        .takes = {edit_in_path()},
        .needed = right::common_edit,
        .spans = span::leader};
}

}  // namespace

result<void> edit_sessions_api::declare_reading(registry& operations) {
    CHECK_OK(operations.add(
        {.name = "edits.list",
         .summary = "List edit sessions with the leader and the state of the draft",
         .path = edits_path,
         .gives = overview_shape(),
         .needed = right::fleet_read,
         .within = scope::filtered},
        handler(this, &edit_sessions_api::list)));
    CHECK_OK(operations.add(
        {.name = "edits.show",
         .summary = "Get an edit session",
         .path = edit_path,
         .takes = {edit_in_path()},
         .gives = session_shape(),
         .needed = right::common_edit},
        handler(this, &edit_sessions_api::show)));
    return operations.add(
        {.name = "draft.show",
         .summary = "Get the changes of the draft",
         .path = "/api/v1/draft",
         .gives = record_of(
             {required("items", list_of(change_shape())),
              required("next", text().or_nothing()),
              required("state", name()),
              required("base", integer(0))}),
         .needed = right::common_edit},
        handler(this, &edit_sessions_api::show_draft));
}

result<void> edit_sessions_api::declare_changing(registry& operations) {
    auto begin = change_operation("begin", "Begin an edit session");
    begin.path = edits_path;
    begin.takes = {optional_in_body("note", text(note_bytes()))};
    begin.gives = session_shape();
    begin.status = 201;
    CHECK_OK(operations.add(std::move(begin), on_leader(&edit_sessions_api::begin)));
    auto keepalive = change_operation("keepalive", "Keep an edit session alive", "/keepalive");
    keepalive.gives = session_shape();
    CHECK_OK(operations.add(std::move(keepalive), on_leader(&edit_sessions_api::keep_alive)));
    auto end = change_operation("end", "End an edit session and keep the draft");
    end.method = verb::remove;
    end.gives = record_of({required("ended", name()), required("changes", integer(0))});
    CHECK_OK(operations.add(std::move(end), on_leader(&edit_sessions_api::end)));
    auto apply = change_operation(
        "apply", "Apply the draft as its only editor and publish a revision", "/apply");
    apply.takes.push_back(optional_in_body("note", text(note_bytes())));
    apply.gives = record_of(
        {required("state", name().with_about("applied, or applying with status 202")),
         optional("revision", record_of(revision_members()))});
    apply.needed = right::common_apply;
    CHECK_OK(operations.add(std::move(apply), on_leader(&edit_sessions_api::apply)));
    auto discard =
        change_operation("discard", "Discard the draft and end the edit session", "/discard");
    discard.gives = record_of({required("discarded", integer(0))});
    CHECK_OK(operations.add(std::move(discard), on_leader(&edit_sessions_api::discard)));
    auto drop = change_operation("drop", "Drop a change from the draft", "/changes/{number}");
    drop.method = verb::remove;
    drop.takes.push_back(number_in_path());
    drop.gives = record_of({required("dropped", integer(1))});
    return operations.add(std::move(drop), on_leader(&edit_sessions_api::drop_change));
}

}  // namespace muster::api
