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

std::string encode(const stored_calendar& stored_calendar) {
    return json::serialize(json::object{
        {"url", stored_calendar.url},
        {"text", stored_calendar.text},
        {"fetched", runtime::stored_time(stored_calendar.fetched)},
        {"last_error", stored_calendar.last_error}});
}

std::string encode(const maintenance_schedule_record& maintenance_schedule) {
    return json::serialize(json::object{
        {"type", maintenance_schedule.type}, {"calendar", maintenance_schedule.calendar}});
}

std::string encode(const stored_schedule& stored_schedule) {
    json::object all{
        {"at", stored_schedule.timing.at},
        {"cron", stored_schedule.timing.cron},
        {"rrule", stored_schedule.timing.rrule},
        {"zone", stored_schedule.timing.zone},
        {"query", stored_schedule.query},
        {"function", stored_schedule.function},
        {"arguments", stored_schedule.arguments},
        {"missed", stored_schedule.missed},
        {"maintenance_only", stored_schedule.maintenance_only},
        {"active", stored_schedule.active},
        {"considered", runtime::stored_time(stored_schedule.considered)}};
    jobs::put_rollout(all, stored_schedule.rollout);
    if (stored_schedule.made != wall_time()) {
        all["made"] = runtime::stored_time(stored_schedule.made);
        all["made_by"] = stored_schedule.made_by;
    }
    return json::serialize(all);
}

std::string encode(const stored_policy& stored_policy) {
    return json::serialize(json::object{{"emergency_override", stored_policy.emergency_override}});
}

result<stored_calendar> decode_calendar(std::string_view text) {
    TRY(auto all, json_record_reader::of("calendar", text));
    stored_calendar read{.url = all.text("url"), .text = all.text("text")};
    if (all.has("fetched")) read.fetched = all.time("fetched");
    if (all.has("last_error")) read.last_error = all.text("last_error");
    return all.finish(std::move(read));
}

result<maintenance_schedule_record> decode_maintenance(std::string_view text) {
    TRY(auto all, json_record_reader::of("maintenance schedule", text));
    maintenance_schedule_record read{.type = all.text("type"), .calendar = all.text("calendar")};
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
