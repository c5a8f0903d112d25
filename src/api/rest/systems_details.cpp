// systems_api: facts and maintenance windows of one system.

#include "api/rest/systems_api.h"
#include "api/rest/windows_json.h"
#include "base/iso_time.h"
#include "ports/deadline.h"
#include "services/fleet/facts_row.h"
#include "services/fleet/fleet_tables.h"
#include "services/fleet/system_row.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;
using namespace api;
using access::right;

constexpr std::size_t windows_shown_max = 20;

shape facts_shape() {
    return record_of(
        {required("facts", map_of(anything()).with_about("values by path")),
         required("changed", api::time().or_nothing().with_about("time of the last change"))});
}

shape windows_shape() {
    return record_of(
        {required(
             "schedule", name().or_nothing().with_about("null if changes are allowed at any time")),
         required("open", flag()),
         required(
             "next",
             list_of(record_of({required("opens", api::time()), required("closes", api::time())}))
                 .with_about("next windows, beginning with an open one"))});
}

table::query facts_query(const fingerprint& print) {
    return {
        .table = std::string(fleet::facts_table),
        .where =
            {{.column = "fingerprint",
              .compare = table::comparison::equal,
              .values = {fleet::key_cell(print)}}},
        .order = {},
        .limit = 1};
}

}  // namespace

result<void> systems_api::declare_details(registry& operations) {
    for (const auto* const noun : {"systems", "keys"}) {
        CHECK_OK(operations.add(
            {.name = noun + std::string(".facts"),
             .summary = "Get the facts of a system",
             .path = std::string("/api/v1/") + noun + "/{system}/facts",
             .takes = {in_path("system", name())},
             .gives = facts_shape(),
             .needed = right::fleet_read,
             .within = scope::filtered},
            handler(this, &systems_api::show_facts)));
    }
    return operations.add(
        {.name = "systems.windows",
         .summary = "Get the maintenance schedule and the next windows of a system",
         .path = "/api/v1/systems/{system}/windows",
         .takes = {in_path("system", name())},
         .gives = windows_shape(),
         .needed = right::fleet_read,
         .within = scope::filtered},
        handler(this, &systems_api::show_windows));
}

async<system_record> systems_api::find_visible(call call) const {
    CO_TRY(auto record, co_await find(call.text("system")));
    if (!record.zone.empty() && !call.may_in(record.zone))
        co_return fail(
            errc::denied,
            call.operation().name + " needs the right fleet.read in zone \"" + record.zone + "\"");
    co_return record;
}

async<reply> systems_api::show_facts(call call) {
    CO_TRY(const auto record, co_await find_visible(call));
    auto pending_read = call.context().engines.ledger.read(facts_query(record.print));
    CO_TRY(const auto page, co_await within(deps_.clock, engine_timeout, std::move(pending_read)));
    json::object response{{"facts", json::object()}, {"changed", nullptr}};
    if (!page.rows.empty()) {
        CO_TRY(const auto stored, fleet::decode_facts(page.rows.front()));
        json::error_code failure;
        auto parsed = json::parse(stored.document, failure);
        if (failure || !parsed.is_object())
            co_return fail(errc::corrupt, "stored facts are not a JSON object");
        response["facts"] = std::move(parsed);
        response["changed"] = iso_time(stored.changed);
    }
    co_return reply{std::move(response)};
}

async<reply> systems_api::show_windows(call call) {
    CO_TRY(const auto record, co_await find_visible(call));
    json::object response{{"schedule", nullptr}, {"open", false}, {"next", json::array()}};
    if (deps_.schedules == nullptr) co_return reply{std::move(response)};
    const auto snapshot = deps_.schedules->current();
    if (!snapshot) co_return fail(errc::unavailable, "window cache is still loading; retry later");
    const auto schedule = snapshot->schedule_of(record.number);
    if (!schedule) co_return reply{std::move(response)};
    const auto now = deps_.clock.wall();
    CO_TRY(const auto next, snapshot->windows_of(*schedule).next(now, windows_shown_max));
    response["schedule"] = *schedule;
    response["open"] = !next.empty() && next.front().is_open(now);
    response["next"] = windows_json(next);
    co_return reply{std::move(response)};
}

}  // namespace muster::api
