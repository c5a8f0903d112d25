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

event_record event_of(named_event what, wall_time now) {
    event_record made;
    made.anchor = what.anchor;
    made.id = std::move(what.id);
    made.kind = std::string(what.kind);
    made.at = now;
    made.data = "{}";
    return made;
}

json::array editors_of(const common_view& view) {
    json::array names;
    if (view.now)
        for (const auto& each : view.now->editors) names.emplace_back(each.user);
    return names;
}

void tell_edits(
    const common_view& before,
    const common_view& after,
    wall_time now,
    std::vector<event_record>& into) {
    const auto tell = [&](const editor& who, std::string_view what, const char* word) {
        auto made =
            event_of({.anchor = who.began, .id = "edit." + who.id + "." + word, .kind = what}, now);
        made.by = who.user;
        made.data = json::serialize(
            json::object{{"edit", who.id}, {"note", who.note}, {"editors", editors_of(after)}});
        into.push_back(std::move(made));
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
    const common_view& before,
    const common_view& after,
    wall_time now,
    std::vector<event_record>& into) {
    if (!after.now) return;
    for (const auto& [number, each] : after.changes) {
        if (before.changes.contains(number)) continue;
        auto made = event_of(
            {.anchor = each.at,
             .id = "draft." + after.now->id + "." + std::to_string(number),
             .kind = kind::edit_drafted},
            now);
        made.by = each.by;
        made.data = json::serialize(json::object{
            {"edit", each.edit},
            {"number", number},
            {"operation", each.operation},
            {"name", each.name},
            {"editors", editors_of(after)}});
        into.push_back(std::move(made));
    }
}

void tell_leader(
    const common_view& before,
    const common_view& after,
    wall_time now,
    std::vector<event_record>& into) {
    const auto tell = [&](const leader_record& who, std::string_view what, const char* word) {
        auto made = event_of(
            {.anchor = who.since, .id = "leader." + who.id + "." + word, .kind = what}, now);
        made.node = who.server;
        made.data = json::serialize(json::object{{"term", who.term}, {"address", who.address}});
        into.push_back(std::move(made));
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
    const common_view& before, const common_view& after, wall_time now) {
    std::vector<event_record> told;
    tell_leader(before, after, now, told);
    tell_edits(before, after, now, told);
    tell_changes(before, after, now, told);
    const bool published =
        after.head && (!before.head || before.head->number != after.head->number);
    if (published) {
        const auto& head = *after.head;
        auto made = event_of(
            {.anchor = head.made,
             .id = "revision." + std::to_string(head.number),
             .kind = kind::revision_published},
            now);
        made.by = head.made_by;
        made.data = json::serialize(json::object{
            {"number", head.number},
            {"digest", head.digest},
            {"kind", head.kind},
            {"made", iso_time(head.made)},
            {"note", head.note},
            {"changes", head.changes}});
        told.push_back(std::move(made));
    }
    return told;
}

event_record drift_notice(
    const std::string& server,
    bool healed,
    const std::vector<std::string>& sections,
    wall_time at) {
    auto made = event_of(
        {.anchor = at,
         .id = "drift." + server + (healed ? ".healed" : ".drifted"),
         .kind = healed ? kind::node_healed : kind::node_drifted},
        at);
    made.node = server;
    made.data = json::serialize(json::object{{"sections", runtime::stored_list(sections)}});
    return made;
}

}  // namespace muster::revision
