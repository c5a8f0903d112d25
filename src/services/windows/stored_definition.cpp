#include "services/windows/stored_definition.h"

#include "runtime/json/record_reader.h"
#include "services/jobs/rollout_record.h"

#include <boost/json.hpp>

namespace muster::windows {
namespace {

namespace json = boost::json;
using runtime::json_record_reader;

}  // namespace

bool operator==(const stored_schedule& one, const stored_schedule& other) {
    return encode(one) == encode(other);
}

std::string encode(const stored_calendar& calendar) {
    return json::serialize(json::object{
        {"url", calendar.url},
        {"text", calendar.text},
        {"fetched", runtime::stored_time(calendar.fetched)},
        {"last_error", calendar.last_error}});
}

std::string encode(const maintenance_schedule_record& schedule) {
    return json::serialize(json::object{{"type", schedule.type}, {"calendar", schedule.calendar}});
}

std::string encode(const stored_schedule& schedule) {
    json::object object{
        {"at", schedule.timing.at},
        {"cron", schedule.timing.cron},
        {"rrule", schedule.timing.rrule},
        {"zone", schedule.timing.zone},
        {"query", schedule.query},
        {"function", schedule.function},
        {"arguments", schedule.arguments},
        {"missed", schedule.missed},
        {"maintenance_only", schedule.maintenance_only},
        {"active", schedule.active},
        {"considered", runtime::stored_time(schedule.considered)}};
    jobs::write_rollout(object, schedule.rollout);
    if (schedule.created != wall_time()) {
        object["made"] = runtime::stored_time(schedule.created);
        object["made_by"] = schedule.created_by;
    }
    return json::serialize(object);
}

std::string encode(const stored_policy& policy) {
    return json::serialize(json::object{{"emergency_override", policy.emergency_override}});
}

result<stored_calendar> decode_calendar(std::string_view text) {
    TRY(auto reader, json_record_reader::parse("calendar", text));
    stored_calendar calendar{.url = reader.text("url"), .text = reader.text("text")};
    if (reader.has("fetched")) calendar.fetched = reader.time("fetched");
    if (reader.has("last_error")) calendar.last_error = reader.text("last_error");
    return reader.finish(std::move(calendar));
}

result<maintenance_schedule_record> decode_maintenance(std::string_view text) {
    TRY(auto reader, json_record_reader::parse("maintenance schedule", text));
    maintenance_schedule_record schedule{
        .type = reader.text("type"), .calendar = reader.text("calendar")};
    return reader.finish(std::move(schedule));
}

result<stored_schedule> decode_schedule(std::string_view text) {
    TRY(auto reader, json_record_reader::parse("schedule", text));
    stored_schedule schedule{
        .timing =
            {.at = reader.text("at"),
             .cron = reader.text("cron"),
             .rrule = reader.text("rrule"),
             .zone = reader.text("zone")},
        .query = reader.text("query"),
        .function = reader.text("function"),
        .arguments = reader.text("arguments"),
        .missed = reader.text("missed"),
        .maintenance_only = reader.boolean("maintenance_only"),
        .active = reader.boolean("active"),
        .considered = reader.time("considered")};
    if (reader.has("batch")) schedule.rollout = jobs::read_rollout(reader);
    if (reader.has("made")) {
        schedule.created = reader.time("made");
        schedule.created_by = reader.text("made_by");
    }
    return reader.finish(std::move(schedule));
}

result<stored_policy> decode_policy(std::string_view text) {
    TRY(auto reader, json_record_reader::parse("window policy", text));
    stored_policy policy{.emergency_override = reader.boolean("emergency_override")};
    return reader.finish(policy);
}

}  // namespace muster::windows
