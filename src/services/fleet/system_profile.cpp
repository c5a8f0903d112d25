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

result<void> check_text(std::string_view what, const std::string& text, std::size_t bytes_max) {
    if (text.size() > bytes_max)
        return fail(errc::invalid, fmt::format("{} has at most {} bytes", what, bytes_max));
    if (!table::is_utf8_without_nul(text))
        return fail(errc::invalid, fmt::format("{} must be UTF-8 without a zero byte", what));
    return {};
}

result<void> check_count(std::string_view text, std::size_t count, std::size_t most) {
    if (count <= most) return {};
    return fail(errc::invalid, fmt::format("a system has at most {} {}", most, text));
}

json::object encode_texts(const std::map<std::string, std::string>& texts) {
    json::object result;
    for (const auto& [name, text] : texts) result[name] = text;
    return result;
}

json::array encode_notes(const std::vector<system_profile::note>& notes) {
    json::array result;
    for (const auto& note : notes) {
        result.push_back(json::object{
            {"number", note.number},
            {"subject", note.subject},
            {"text", note.text},
            {"by", note.by},
            {"at", runtime::stored_time(note.at)}});
    }
    return result;
}

result<std::vector<system_profile::note>> notes_in(const runtime::json_record_reader& all) {
    std::vector<system_profile::note> read;
    const auto* const found = all.find_array("notes");
    if (found == nullptr) return read;
    for (const auto& each : *found) {
        TRY(auto members, runtime::json_record_reader::of_value("note", each));
        system_profile::note note{
            .number = members.integer("number"),
            .subject = members.text("subject"),
            .text = members.text("text"),
            .by = members.text("by"),
            .at = members.time("at")};
        TRY(note, members.finish(std::move(note)));
        read.push_back(std::move(note));
    }
    return read;
}

}  // namespace

result<void> check(const system_profile& system_profile) {
    using limits = profile_limits;
    CHECK_OK(check_text("a system's name", system_profile.name, limits::name_bytes_max));
    CHECK_OK(check_text("the description", system_profile.description, limits::text_bytes_max));
    for (const auto& [what, where] : system_profile.place) {
        CHECK_OK(check_text(what, where, limits::place_bytes_max));
    }
    for (const auto& [label, text] : system_profile.values) {
        CHECK_OK(check_text("the value of " + label, text, limits::text_bytes_max));
    }
    for (const auto& note : system_profile.notes) {
        CHECK_OK(check_text("a note's subject", note.subject, limits::subject_bytes_max));
        CHECK_OK(check_text("a note", note.text, limits::text_bytes_max));
    }
    CHECK_OK(check_count("custom values", system_profile.values.size(), limits::values_max));
    CHECK_OK(check_count("notes", system_profile.notes.size(), limits::notes_max));
    CHECK_OK(check_count(
        "configuration channels", system_profile.config_channels.size(), limits::channels_max));
    return check_count(
        "entitlements", system_profile.entitlements.size(), limits::entitlements_max);
}

table::row encode_profile(const system_profile& system_profile) {
    const json::object document{
        {"name", system_profile.name},
        {"description", system_profile.description},
        {"place", encode_texts(system_profile.place)},
        {"values", encode_texts(system_profile.values)},
        {"notes", encode_notes(system_profile.notes)},
        {"last_note", system_profile.last_note},
        {"config_channels", runtime::stored_list(system_profile.config_channels)},
        {"entitlements", runtime::stored_list(system_profile.entitlements)},
        {"contact_method", system_profile.contact_method},
        {"activation_key", system_profile.activation_key},
        {"fresh", system_profile.fresh},
        {"arrival", system_profile.arrival},
        {"locked", system_profile.locked},
        {"auto_update", system_profile.auto_update}};
    return {
        system_profile.system.value(),
        json::serialize(document),
        system_profile.version,
        system_profile.changed_by,
        system_profile.changed};
}

result<system_profile> decode_profile(const table::row& cells) {
    table::row_reader in(system_profiles_table, cells);
    system_profile read;
    read.system =
        system_number(in.take_from("system", 1, std::numeric_limits<std::uint32_t>::max()));
    const auto document = in.take<std::string>("document");
    read.version = in.take_from("version", 1, std::numeric_limits<std::int64_t>::max());
    read.changed_by = in.take<std::string>("changed_by");
    read.changed = in.take<wall_time>("changed");
    in.take_sequence();
    CHECK_OK(in.finish());
    TRY(auto all, runtime::json_record_reader::of("system profile", document));
    read.name = all.text("name");
    read.description = all.text("description");
    read.last_note = all.integer("last_note");
    read.config_channels = all.list("config_channels");
    read.entitlements = all.list("entitlements");
    read.contact_method = all.text("contact_method");
    read.activation_key = all.text("activation_key");
    // Who came before this was noted is no newcomer.
    read.fresh = all.has("fresh") && all.boolean("fresh");
    if (all.has("arrival")) read.arrival = all.text("arrival");
    read.locked = all.boolean("locked");
    read.auto_update = all.boolean("auto_update");
    TRY(read, all.finish(std::move(read)));
    read.place = all.texts_or_empty("place");
    read.values = all.texts_or_empty("values");
    TRY(read.notes, notes_in(all));
    return read;
}

}  // namespace muster::fleet
