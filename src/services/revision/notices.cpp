#include "services/revision/notices.h"

#include "base/iso_time.h"
#include "core/events/event_kind.h"
#include "runtime/json/record_reader.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::revision {
namespace {

namespace json = boost::json;
namespace kind = events::kind;

struct named_event {
    wall_time anchor;
    std::string id;
    std::string_view kind;
};

event_record build_event(named_event id, wall_time now) {
    event_record event;
    event.anchor = id.anchor;
    event.id = std::move(id.id);
    event.kind = std::string(id.kind);
    event.at = now;
    event.data = "{}";
    return event;
}

json::array editors_of(const edit_state_snapshot& snapshot) {
    json::array names;
    if (snapshot.current_draft)
        for (const auto& editor : snapshot.current_draft->editors) names.emplace_back(editor.user);
    return names;
}

void add_session_events(
    const edit_state_snapshot& before,
    const edit_state_snapshot& after,
    wall_time now,
    std::vector<event_record>& events) {
    const auto add_event =
        [&](const editor& editor, std::string_view event_kind, const char* id_suffix) {
            auto event = build_event(
                {.anchor = editor.began,
                 .id = "edit." + editor.id + "." + id_suffix,
                 .kind = event_kind},
                now);
            event.actor = editor.user;
            event.data = json::serialize(json::object{
                {"edit", editor.id}, {"note", editor.note}, {"editors", editors_of(after)}});
            events.push_back(std::move(event));
        };
    if (after.current_draft)
        for (const auto& editor : after.current_draft->editors)
            if (!before.current_draft || before.current_draft->find(editor.id) == nullptr)
                add_event(editor, kind::edit_began, "began");
    if (before.current_draft)
        for (const auto& editor : before.current_draft->editors)
            if (!after.current_draft || after.current_draft->find(editor.id) == nullptr)
                add_event(editor, kind::edit_ended, "ended");
}

void add_change_events(
    const edit_state_snapshot& before,
    const edit_state_snapshot& after,
    wall_time now,
    std::vector<event_record>& events) {
    if (!after.current_draft) return;
    for (const auto& [number, change] : after.changes) {
        if (before.changes.contains(number)) continue;
        auto event = build_event(
            {.anchor = change.at,
             .id = "draft." + after.current_draft->id + "." + std::to_string(number),
             .kind = kind::edit_drafted},
            now);
        event.actor = change.by;
        event.data = json::serialize(json::object{
            {"edit", change.edit},
            {"number", number},
            {"operation", change.operation},
            {"name", change.name},
            {"editors", editors_of(after)}});
        events.push_back(std::move(event));
    }
}

void add_leader_events(
    const edit_state_snapshot& before,
    const edit_state_snapshot& after,
    wall_time now,
    std::vector<event_record>& events) {
    const auto add_event =
        [&](const leader_record& leader, std::string_view event_kind, const char* id_suffix) {
            auto event = build_event(
                {.anchor = leader.since,
                 .id = "leader." + leader.id + "." + id_suffix,
                 .kind = event_kind},
                now);
            event.node = leader.server;
            event.data =
                json::serialize(json::object{{"term", leader.term}, {"address", leader.address}});
            events.push_back(std::move(event));
        };
    const auto* const old = before.edit_leader();
    const auto* const next = after.edit_leader();
    const bool same = old != nullptr && next != nullptr && old->id == next->id;
    if (same) return;
    if (old != nullptr) add_event(*old, kind::leader_demoted, "demoted");
    if (next != nullptr) add_event(*next, kind::leader_elected, "elected");
}

}  // namespace

std::vector<event_record> build_edit_events(
    const edit_state_snapshot& before, const edit_state_snapshot& after, wall_time now) {
    std::vector<event_record> events;
    add_leader_events(before, after, now, events);
    add_session_events(before, after, now, events);
    add_change_events(before, after, now, events);
    const bool published =
        after.head && (!before.head || before.head->number != after.head->number);
    if (published) {
        const auto& head = *after.head;
        auto event = build_event(
            {.anchor = head.made,
             .id = "revision." + std::to_string(head.number),
             .kind = kind::revision_published},
            now);
        event.actor = head.made_by;
        event.data = json::serialize(json::object{
            {"number", head.number},
            {"digest", head.digest},
            {"kind", head.kind},
            {"made", iso_time(head.made)},
            {"note", head.note},
            {"changes", head.changes}});
        events.push_back(std::move(event));
    }
    return events;
}

event_record build_drift_event(
    const std::string& server,
    bool healed,
    const std::vector<std::string>& sections,
    wall_time at) {
    auto event = build_event(
        {.anchor = at,
         .id = "drift." + server + (healed ? ".healed" : ".drifted"),
         .kind = healed ? kind::node_healed : kind::node_drifted},
        at);
    event.node = server;
    event.data = json::serialize(json::object{{"sections", runtime::stored_list(sections)}});
    return event;
}

}  // namespace muster::revision
