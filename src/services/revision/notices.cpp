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

event_record event_of(named_event named_event, wall_time now) {
    event_record event;
    event.anchor = named_event.anchor;
    event.id = std::move(named_event.id);
    event.kind = std::string(named_event.kind);
    event.at = now;
    event.data = "{}";
    return event;
}

json::array editors_of(const edit_state_snapshot& view) {
    json::array names;
    if (view.now)
        for (const auto& editor : view.now->editors) names.emplace_back(editor.user);
    return names;
}

void tell_edits(
    const edit_state_snapshot& before,
    const edit_state_snapshot& after,
    wall_time now,
    std::vector<event_record>& into) {
    const auto tell = [&](const editor& editor, std::string_view text, const char* word) {
        auto event = event_of(
            {.anchor = editor.began, .id = "edit." + editor.id + "." + word, .kind = text}, now);
        event.by = editor.user;
        event.data = json::serialize(json::object{
            {"edit", editor.id}, {"note", editor.note}, {"editors", editors_of(after)}});
        into.push_back(std::move(event));
    };
    if (after.now)
        for (const auto& each : after.now->editors)
            if (!before.now || before.now->find(each.id) == nullptr)
                tell(each, kind::edit_began, "began");
    if (before.now)
        for (const auto& each : before.now->editors)
            if (!after.now || after.now->find(each.id) == nullptr)
                tell(each, kind::edit_ended, "ended");
}

void tell_changes(
    const edit_state_snapshot& before,
    const edit_state_snapshot& after,
    wall_time now,
    std::vector<event_record>& into) {
    if (!after.now) return;
    for (const auto& [number, each] : after.changes) {
        if (before.changes.contains(number)) continue;
        auto event = event_of(
            {.anchor = each.at,
             .id = "draft." + after.now->id + "." + std::to_string(number),
             .kind = kind::edit_drafted},
            now);
        event.by = each.by;
        event.data = json::serialize(json::object{
            {"edit", each.edit},
            {"number", number},
            {"operation", each.operation},
            {"name", each.name},
            {"editors", editors_of(after)}});
        into.push_back(std::move(event));
    }
}

void tell_leader(
    const edit_state_snapshot& before,
    const edit_state_snapshot& after,
    wall_time now,
    std::vector<event_record>& into) {
    const auto tell = [&](const leader_record& leader, std::string_view text, const char* word) {
        auto event = event_of(
            {.anchor = leader.since, .id = "leader." + leader.id + "." + word, .kind = text}, now);
        event.node = leader.server;
        event.data =
            json::serialize(json::object{{"term", leader.term}, {"address", leader.address}});
        into.push_back(std::move(event));
    };
    const auto* const old = before.leads();
    const auto* const next = after.leads();
    const bool same = old != nullptr && next != nullptr && old->id == next->id;
    if (same) return;
    if (old != nullptr) tell(*old, kind::leader_demoted, "demoted");
    if (next != nullptr) tell(*next, kind::leader_elected, "elected");
}

}  // namespace

std::vector<event_record> notices_of(
    const edit_state_snapshot& before, const edit_state_snapshot& after, wall_time now) {
    std::vector<event_record> response;
    tell_leader(before, after, now, response);
    tell_edits(before, after, now, response);
    tell_changes(before, after, now, response);
    const bool published =
        after.head && (!before.head || before.head->number != after.head->number);
    if (published) {
        const auto& head = *after.head;
        auto event = event_of(
            {.anchor = head.made,
             .id = "revision." + std::to_string(head.number),
             .kind = kind::revision_published},
            now);
        event.by = head.made_by;
        event.data = json::serialize(json::object{
            {"number", head.number},
            {"digest", head.digest},
            {"kind", head.kind},
            {"made", iso_time(head.made)},
            {"note", head.note},
            {"changes", head.changes}});
        response.push_back(std::move(event));
    }
    return response;
}

event_record drift_notice(
    const std::string& server,
    bool healed,
    const std::vector<std::string>& sections,
    wall_time at) {
    auto event = event_of(
        {.anchor = at,
         .id = "drift." + server + (healed ? ".healed" : ".drifted"),
         .kind = healed ? kind::node_healed : kind::node_drifted},
        at);
    event.node = server;
    event.data = json::serialize(json::object{{"sections", runtime::stored_list(sections)}});
    return event;
}

}  // namespace muster::revision
