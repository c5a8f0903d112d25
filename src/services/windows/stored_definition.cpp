#include "services/windows/stored_definition.h"

#include "runtime/json/record_reader.h"
#include "services/jobs/stored_rollout.h"

#include <boost/json.hpp>

namespace muster::windows {
namespace {

namespace json = boost::json;
using runtime::json_record_reader;

}  // namespace

bool operator==(const stored_schedule& one, const stored_schedule& other) {
    return encode(one) == encode(other);
}

std::string encode(const stored_calendar& what) {
    return json::serialize(json::object{
        {"url", what.url},
        {"text", what.text},
        {"fetched", runtime::stored_time(what.fetched)},
        {"last_error", what.last_error}});
}

std::string encode(const stored_maintenance& what) {
    return json::serialize(json::object{{"type", what.type}, {"calendar", what.calendar}});
}

std::string encode(const stored_schedule& what) {
    json::object all{
        {"at", what.timing.at},
        {"cron", what.timing.cron},
        {"rrule", what.timing.rrule},
        {"zone", what.timing.zone},
        {"query", what.query},
        {"function", what.function},
        {"arguments", what.arguments},
        {"missed", what.missed},
        {"maintenance_only", what.maintenance_only},
        {"active", what.active},
        {"considered", runtime::stored_time(what.considered)}};
    jobs::put_rollout(all, what.rollout);
    if (what.made != wall_time()) {
        all["made"] = runtime::stored_time(what.made);
        all["made_by"] = what.made_by;
    }
    return json::serialize(all);
}

std::string encode(const stored_policy& what) {
    return json::serialize(json::object{{"emergency_override", what.emergency_override}});
}

result<stored_calendar> decode_calendar(std::string_view text) {
    TRY(auto all, json_record_reader::of("calendar", text));
    stored_calendar read{.url = all.text("url"), .text = all.text("text")};
    if (all.has("fetched")) read.fetched = all.time("fetched");
    if (all.has("last_error")) read.last_error = all.text("last_error");
    return all.finish(std::move(read));
}

result<stored_maintenance> decode_maintenance(std::string_view text) {
    TRY(auto all, json_record_reader::of("maintenance schedule", text));
    stored_maintenance read{.type = all.text("type"), .calendar = all.text("calendar")};
    return all.finish(std::move(read));
}

result<stored_schedule> decode_schedule(std::string_view text) {
    TRY(auto all, json_record_reader::of("schedule", text));
    stored_schedule read{
        .timing =
            {.at = all.text("at"),
             .cron = all.text("cron"),
             .rrule = all.text("rrule"),
             .zone = all.text("zone")},
        .query = all.text("query"),
        .function = all.text("function"),
        .arguments = all.text("arguments"),
        .missed = all.text("missed"),
        .maintenance_only = all.boolean("maintenance_only"),
        .active = all.boolean("active"),
        .considered = all.time("considered")};
    if (all.has("batch")) read.rollout = jobs::take_rollout(all);
    if (all.has("made")) {
        read.made = all.time("made");
        read.made_by = all.text("made_by");
    }
    return all.finish(std::move(read));
}

result<stored_policy> decode_policy(std::string_view text) {
    TRY(auto all, json_record_reader::of("policy of windows", text));
    stored_policy read{.emergency_override = all.boolean("emergency_override")};
    return all.finish(read);
}

}  // namespace muster::windows
