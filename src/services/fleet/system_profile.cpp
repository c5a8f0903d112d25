#include "services/fleet/system_profile.h"

#include "core/table/row_reader.h"
#include "core/table/utf8.h"
#include "runtime/json/record_reader.h"
#include "services/fleet/fleet_tables.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <limits>
#include <utility>

namespace muster::fleet {
namespace {

namespace json = boost::json;

result<void> check_text(std::string_view subject, const std::string& text, std::size_t bytes_max) {
    if (text.size() > bytes_max)
        return fail(errc::invalid, fmt::format("{} is longer than {} bytes", subject, bytes_max));
    if (!table::is_utf8_without_nul(text))
        return fail(errc::invalid, fmt::format("{} must be UTF-8 without a zero byte", subject));
    return {};
}

result<void> check_count(std::string_view kind, std::size_t count, std::size_t count_max) {
    if (count <= count_max) return {};
    return fail(errc::invalid, fmt::format("system has more than {} {}", count_max, kind));
}

json::object encode_texts(const std::map<std::string, std::string>& texts) {
    json::object object;
    for (const auto& [name, text] : texts) object[name] = text;
    return object;
}

json::array encode_notes(const std::vector<system_profile::note>& notes) {
    json::array array;
    for (const auto& note : notes) {
        array.push_back(json::object{
            {"number", note.number},
            {"subject", note.subject},
            {"text", note.text},
            {"by", note.user},
            {"at", runtime::stored_time(note.time)}});
    }
    return array;
}

result<std::vector<system_profile::note>> read_notes(
    const runtime::json_record_reader& profile_reader) {
    std::vector<system_profile::note> notes;
    const auto* const stored_notes = profile_reader.find_array("notes");
    if (stored_notes == nullptr) return notes;
    for (const auto& stored_note : *stored_notes) {
        TRY(auto reader, runtime::json_record_reader::from_value("note", stored_note));
        system_profile::note note{
            .number = reader.integer("number"),
            .subject = reader.text("subject"),
            .text = reader.text("text"),
            .user = reader.text("by"),
            .time = reader.time("at")};
        TRY(note, reader.finish(std::move(note)));
        notes.push_back(std::move(note));
    }
    return notes;
}

}  // namespace

result<void> check(const system_profile& profile) {
    using limits = profile_limits;
    CHECK_OK(check_text("system name", profile.name, limits::name_bytes_max));
    CHECK_OK(check_text("description", profile.description, limits::text_bytes_max));
    for (const auto& [field, text] : profile.place) {
        CHECK_OK(check_text(field, text, limits::place_bytes_max));
    }
    for (const auto& [label, text] : profile.values) {
        CHECK_OK(check_text("value of \"" + label + "\"", text, limits::text_bytes_max));
    }
    for (const auto& note : profile.notes) {
        CHECK_OK(check_text("note subject", note.subject, limits::subject_bytes_max));
        CHECK_OK(check_text("note", note.text, limits::text_bytes_max));
    }
    CHECK_OK(check_count("custom values", profile.values.size(), limits::values_max));
    CHECK_OK(check_count("notes", profile.notes.size(), limits::notes_max));
    CHECK_OK(check_count(
        "configuration channels", profile.config_channels.size(), limits::channels_max));
    return check_count("entitlements", profile.entitlements.size(), limits::entitlements_max);
}

table::row encode_profile(const system_profile& profile) {
    const json::object document{
        {"name", profile.name},
        {"description", profile.description},
        {"place", encode_texts(profile.place)},
        {"values", encode_texts(profile.values)},
        {"notes", encode_notes(profile.notes)},
        {"last_note", profile.last_note},
        {"config_channels", runtime::stored_list(profile.config_channels)},
        {"entitlements", runtime::stored_list(profile.entitlements)},
        {"contact_method", profile.contact_method},
        {"activation_key", profile.activation_key},
        {"fresh", profile.unprovisioned},
        {"arrival", profile.provisioning_batch},
        {"locked", profile.locked},
        {"auto_update", profile.auto_update}};
    return {
        profile.system.value(),
        json::serialize(document),
        profile.version,
        profile.changed_by,
        profile.changed};
}

result<system_profile> decode_profile(const table::row& row) {
    table::row_reader reader(system_profiles_table, row);
    system_profile profile;
    profile.system =
        system_number(reader.take_from("system", 1, std::numeric_limits<std::uint32_t>::max()));
    const auto document = reader.take<std::string>("document");
    profile.version = reader.take_from("version", 1, std::numeric_limits<std::int64_t>::max());
    profile.changed_by = reader.take<std::string>("changed_by");
    profile.changed = reader.take<wall_time>("changed");
    reader.take_sequence();
    CHECK_OK(reader.finish());
    TRY(auto json_reader, runtime::json_record_reader::parse("system profile", document));
    profile.name = json_reader.text("name");
    profile.description = json_reader.text("description");
    profile.last_note = json_reader.integer("last_note");
    profile.config_channels = json_reader.list("config_channels");
    profile.entitlements = json_reader.list("entitlements");
    profile.contact_method = json_reader.text("contact_method");
    profile.activation_key = json_reader.text("activation_key");
    // Systems from before this member existed need no provisioning.
    profile.unprovisioned = json_reader.has("fresh") && json_reader.boolean("fresh");
    if (json_reader.has("arrival")) profile.provisioning_batch = json_reader.text("arrival");
    profile.locked = json_reader.boolean("locked");
    profile.auto_update = json_reader.boolean("auto_update");
    TRY(profile, json_reader.finish(std::move(profile)));
    profile.place = json_reader.texts_or_empty("place");
    profile.values = json_reader.texts_or_empty("values");
    TRY(profile.notes, read_notes(json_reader));
    return profile;
}

}  // namespace muster::fleet
