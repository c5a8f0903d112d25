#include "api/rest/history_api.h"

#include "api/operations/pagination.h"
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
using history::system_stage;

api::shape stage_shape() {
    using namespace api;
    return record_of(
        {required("from", time()),
         required("until", time().or_nothing().with_about("null for the current period")),
         required(
             "state", text().with_choices({"new", "onboarded", "orphan", "deleted", "unknown"})),
         required(
             "node",
             text().or_nothing().with_about(
                 "onboarded: current node; orphan: last node; unknown: node without records")),
         required(
             "reason",
             text().or_nothing().with_about(
                 "orphan: why the connection ended; unknown: why the state is unknown"))});
}

result<wall_time> read_time(const std::string& name, const std::string& text, wall_time now) {
    if (text == "now") return now;
    if (text.starts_with('-')) {
        const auto span = runtime::parse_duration(std::string_view(text).substr(1));
        if (span) return now - std::chrono::duration_cast<wall_time::duration>(*span);
    } else if (const auto time = parse_moment(text, now)) {
        return *time;
    }
    return fail(
        errc::invalid,
        "`" + name
            + "` must be a time such as 2026-11-16T22:00:00Z, a duration such as -2d, or now");
}

result<wall_time> parse_page_start(const std::string& text) {
    std::int64_t count = 0;
    const auto* const end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, count);
    if (failure != std::errc() || stopped != end || count < 0)
        return fail(errc::invalid, "`after` must be the `next` value of the previous page");
    return wall_time(wall_time::duration(count));
}

json::value reason_of(const history::stage_period& stage) {
    if (stage.state == system_stage::orphan && stage.why != session::reason::unknown)
        return json::value(session::to_string(stage.why));
    if (stage.state != system_stage::unknown) return nullptr;
    return stage.node ? "no presence records of the node" : "no presence records";
}

}  // namespace

result<void> history_api::declare(registry& operations) {
    using namespace api;
    return operations.add(
        {.name = "systems.history",
         .summary = "Get the presence history of a system, oldest first",
         .path = "/api/v1/systems/{system}/history",
         .takes =
             {in_path("system", name()),
              in_query(
                  "since",
                  text().with_about("time, or duration such as -2d (default: all stored history)")),
              in_query("until", text().with_about("time, duration, or now (default now)")),
              limit_parameter(),
              after_parameter()},
         .gives = record_of(
             {required("since", time()),
              required("until", time()),
              required("items", list_of(stage_shape())),
              required("next", text().or_nothing())}),
         .needed = access::right::fleet_read,
         .within = scope::filtered},
        handler(this, &history_api::show));
}

result<history_api::span> history_api::read_span(const call& call) const {
    const auto now = deps_.clock.wall();
    const auto oldest = now - deps_.retention;
    TRY(const auto since,
        read_time("since", call.optional_text("since").value_or(iso_time(oldest)), now));
    TRY(const auto until, read_time("until", call.optional_text("until").value_or("now"), now));
    span span{
        .since = std::max(since, oldest), .until = std::min(until, now), .until_now = until >= now};
    if (const auto after = page_start_of(call); !after.empty()) {
        TRY(const auto next, parse_page_start(after));
        span.since = std::max(span.since, next);
    }
    if (span.since > span.until)
        return fail(
            errc::invalid,
            "`since` must be before `until` and now, and `until` within the retention period");
    return span;
}

// The time of the deletion is only in the stored row.
async<history::milestones> history_api::read_milestones(call call, system_record record) const {
    history::milestones milestones{
        .enrolled = record.enrolled, .accepted = record.accepted, .deleted = std::nullopt};
    if (record.stage != enrolment::deleted) co_return milestones;
    table::query row_query{
        .table = std::string(fleet::systems_table),
        .where =
            {{.column = "fingerprint",
              .compare = table::comparison::equal,
              .values = {fleet::key_cell(record.print)}}},
        .order = {},
        .limit = 1};
    auto pending_read = call.context().engines.ledger.read(std::move(row_query));
    CO_TRY(const auto page, co_await within(deps_.clock, engine_timeout, std::move(pending_read)));
    if (page.rows.empty()) co_return milestones;
    CO_TRY(const auto stored, fleet::decode_system(page.rows.front()));
    milestones.deleted = stored.changed;
    co_return milestones;
}

json::object history_api::stage_json(const history::stage_period& stage) const {
    const auto topology = deps_.topology.read();
    const auto* const node = stage.node ? topology->find_node(stage.node) : nullptr;
    json::object output{
        {"from", iso_time(stage.from)},
        {"until", iso_time(stage.until)},
        {"state", history::to_string(stage.state)},
        {"node", nullptr},
        {"reason", reason_of(stage)}};
    // A node that left the cluster is shown by its number.
    if (stage.node)
        output["node"] = node == nullptr ? std::to_string(stage.node.value()) : node->name;
    return output;
}

async<reply> history_api::show(call call) {
    CO_TRY(const auto span, read_span(call));
    CO_TRY(const auto record, co_await deps_.systems.find_visible(call));
    CO_TRY(const auto milestones, co_await read_milestones(call, record));
    history::reader::history_page history_part{.segments = {}, .until = span.until};
    if (record.number && milestones.accepted) {
        const history::reader::history_request query{
            .system = record.number,
            .since = std::clamp(*milestones.accepted, span.since, span.until),
            .until = span.until};
        CO_TRY(history_part, co_await deps_.history.read(query));
    }
    auto stages =
        history::stages_of(history_part.segments, milestones, span.since, history_part.until);
    const auto limit = page_limit_of(call);
    std::optional<wall_time> next;
    if (history_part.until < span.until) next = history_part.until;
    if (stages.size() > limit) {
        stages.resize(limit);
        next = stages.back().until;
    }
    json::array items;
    for (const auto& stage : stages) items.push_back(stage_json(stage));
    if (!next && span.until_now && !items.empty()) items.back().as_object()["until"] = nullptr;
    json::object output{
        {"since", iso_time(span.since)},
        {"until", iso_time(next.value_or(span.until))},
        {"items", std::move(items)},
        {"next", nullptr}};
    if (next) output["next"] = std::to_string(next->time_since_epoch().count());
    co_return reply{std::move(output)};
}

}  // namespace muster::api
