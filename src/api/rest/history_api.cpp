#include "api/rest/history_api.h"

#include "api/operations/page.h"
#include "api/rest/job_request.h"
#include "base/iso_time.h"
#include "ports/deadline.h"
#include "runtime/settings/units.h"
#include "services/fleet/fleet_tables.h"
#include "services/fleet/system_row.h"

#include <boost/json.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;
namespace history = presence::history;
using history::standing;

api::shape stage_shape() {
    using namespace api;
    return record_of(
        {required("from", time()),
         required("until", time().or_nothing().with_about("null: it goes on")),
         required(
             "state", text().with_choices({"new", "onboarded", "orphan", "deleted", "unknown"})),
         required(
             "node",
             text().or_nothing().with_about(
                 "onboarded: where; orphan: where it was last; unknown: whose word is missing")),
         required(
             "reason",
             text().or_nothing().with_about(
                 "orphan: how its channel ended; unknown: why it is not known"))});
}

result<wall_time> moment_in(const std::string& name, const std::string& text, wall_time now) {
    if (text == "now") return now;
    if (text.starts_with('-')) {
        const auto span = runtime::parse_duration(std::string_view(text).substr(1));
        if (span) return now - std::chrono::duration_cast<wall_time::duration>(*span);
    } else if (const auto when = parse_moment(text, now)) {
        return *when;
    }
    return fail(
        errc::invalid,
        "`" + name + "` must be a time such as 2026-11-16T22:00:00Z, a span such as -2d, or now");
}

result<wall_time> page_start(const std::string& text) {
    std::int64_t count = 0;
    const auto* const end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, count);
    if (failure != std::errc() || stopped != end || count < 0)
        return fail(errc::invalid, "`after` must be the `next` of the page before");
    return wall_time(wall_time::duration(count));
}

json::value reason_of(const history::stage& what) {
    if (what.state == standing::orphan && what.why != session::reason::unknown)
        return json::value(session::to_string(what.why));
    if (what.state != standing::unknown) return nullptr;
    return what.node ? "nothing is on record of its node" : "nothing is on record";
}

}  // namespace

result<void> history_api::declare(registry& to) {
    using namespace api;
    return to.add(
        {.name = "systems.history",
         .summary = "Where a system was over time, oldest first",
         .path = "/api/v1/systems/{system}/history",
         .takes =
             {in_path("system", name()),
              in_query(
                  "since",
                  text().with_about(
                      "a time, or a span such as -2d; all that is kept if not given")),
              in_query("until", text().with_about("the same, or now; now if not given")),
              limit_parameter(),
              after_parameter()},
         .gives = record_of(
             {required("since", time()),
              required("until", time()),
              required("items", list_of(stage_shape())),
              required("next", text().or_nothing())}),
         .needed = access::right::fleet_read,
         .within = scope::filtered},
        done_by(this, &history_api::show));
}

result<history_api::span> history_api::span_of(const call& asked) const {
    const auto now = around_.time.wall();
    const auto oldest = now - around_.keep;
    TRY(const auto since,
        moment_in("since", asked.optional_text("since").value_or(iso_time(oldest)), now));
    TRY(const auto until, moment_in("until", asked.optional_text("until").value_or("now"), now));
    span wanted{
        .since = std::max(since, oldest), .until = std::min(until, now), .to_now = until >= now};
    if (const auto after = page_start_of(asked); !after.empty()) {
        TRY(const auto next, page_start(after));
        wanted.since = std::max(wanted.since, next);
    }
    if (wanted.since > wanted.until)
        return fail(
            errc::invalid,
            "`since` must be before `until` and now, and `until` within the time that is kept");
    return wanted;
}

// When it was deleted stands in the row alone: nothing follows it.
async<history::milestones> history_api::life_of(call asked, system_record record) const {
    history::milestones life{
        .enrolled = record.enrolled, .accepted = record.accepted, .deleted = std::nullopt};
    if (record.stage != enrolment::deleted) co_return life;
    table::query row{
        .table = std::string(fleet::systems_table),
        .where =
            {{.column = "fingerprint",
              .compare = table::comparison::equal,
              .values = {fleet::key_cell(record.print)}}},
        .order = {},
        .limit = 1};
    auto reading = asked.desk().engines.records.read(std::move(row));
    CO_TRY(const auto page, co_await within(around_.time, engine_patience, std::move(reading)));
    if (page.rows.empty()) co_return life;
    CO_TRY(const auto stored, fleet::decode_system(page.rows.front()));
    life.deleted = stored.changed;
    co_return life;
}

json::object history_api::told(const history::stage& what) const {
    const auto places = around_.places.read();
    const auto* const node = what.node ? places->find_node(what.node) : nullptr;
    json::object shown{
        {"from", iso_time(what.from)},
        {"until", iso_time(what.until)},
        {"state", history::to_string(what.state)},
        {"node", nullptr},
        {"reason", reason_of(what)}};
    // One that has left the cluster is known by its number.
    if (what.node) shown["node"] = node == nullptr ? std::to_string(what.node.value()) : node->name;
    return shown;
}

async<reply> history_api::show(call asked) {
    CO_TRY(const auto wanted, span_of(asked));
    CO_TRY(const auto record, co_await around_.find(asked));
    CO_TRY(const auto life, co_await life_of(asked, record));
    history::reader::answer read{.line = {}, .until = wanted.until};
    if (record.number && life.accepted) {
        const history::reader::question which{
            .system = record.number,
            .since = std::clamp(*life.accepted, wanted.since, wanted.until),
            .until = wanted.until};
        CO_TRY(read, co_await around_.record.read(which));
    }
    auto stages = history::stages_of(read.line, life, wanted.since, read.until);
    const auto limit = page_limit_of(asked);
    std::optional<wall_time> next;
    if (read.until < wanted.until) next = read.until;
    if (stages.size() > limit) {
        stages.resize(limit);
        next = stages.back().until;
    }
    json::array items;
    for (const auto& each : stages) items.push_back(told(each));
    if (!next && wanted.to_now && !items.empty()) items.back().as_object()["until"] = nullptr;
    json::object shown{
        {"since", iso_time(wanted.since)},
        {"until", iso_time(next.value_or(wanted.until))},
        {"items", std::move(items)},
        {"next", nullptr}};
    if (next) shown["next"] = std::to_string(next->time_since_epoch().count());
    co_return reply{std::move(shown)};
}

}  // namespace muster::api
