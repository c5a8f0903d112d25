#include "services/revision/record.h"

#include "runtime/json/record_reader.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::revision {
namespace {

namespace json = boost::json;
using runtime::json_record_reader;
using runtime::stored_time;

using purpose = leader_record::purpose;

const char* word_of(purpose what) {
    return what == purpose::edit ? "edit" : "turn";
}

json::array stored_digests(const digests& of) {
    json::array items;
    for (const auto& [name, digest] : of) items.emplace_back(name + ":" + digest);
    return items;
}

digests read_digests(json_record_reader& from, std::string_view member) {
    digests read;
    for (const auto& each : from.list(member)) {
        const auto colon = each.find(':');
        if (colon == std::string::npos)
            from.mark_wrong(member);
        else
            read.emplace(each.substr(0, colon), each.substr(colon + 1));
    }
    return read;
}

json::object encoded(const editor& what) {
    return {
        {"id", what.id},
        {"user", what.user},
        {"note", what.note},
        {"began", stored_time(what.began)},
        {"seen", stored_time(what.seen)}};
}

result<editor> decode_editor(std::string_view text) {
    TRY(auto all, json_record_reader::of("editor", text));
    editor read{
        .id = all.text("id"),
        .user = all.text("user"),
        .note = all.text("note"),
        .began = all.time("began"),
        .seen = all.time("seen")};
    return all.finish(std::move(read));
}

json::object encoded(const application& what) {
    return {
        {"by", what.by},
        {"edit", what.edit},
        {"note", what.note},
        {"since", stored_time(what.since)},
        {"doing", what.doing},
        {"before", what.before}};
}

result<application> decode_application(std::string_view text) {
    TRY(auto all, json_record_reader::of("application", text));
    application read{
        .by = all.text("by"),
        .edit = all.text("edit"),
        .note = all.text("note"),
        .since = all.time("since"),
        .doing = all.integer("doing"),
        .before = all.text("before")};
    return all.finish(std::move(read));
}

json::object encoded(const change_note& what) {
    return {
        {"by", what.by},
        {"operation", what.operation},
        {"subject", what.subject},
        {"at", stored_time(what.at)}};
}

}  // namespace

std::string encode(const leader_record& what) {
    return json::serialize(json::object{
        {"server", what.server},
        {"address", what.address},
        {"purpose", word_of(what.what)},
        {"user", what.user},
        {"term", what.term},
        {"id", what.id},
        {"since", stored_time(what.since)}});
}

result<leader_record> decode_leader(std::string_view text) {
    TRY(auto all, json_record_reader::of("leader", text));
    leader_record read{
        .server = all.text("server"),
        .address = all.text("address"),
        .what = all.text("purpose") == "edit" ? purpose::edit : purpose::turn,
        .user = all.text("user"),
        .term = all.integer("term"),
        .id = all.text("id"),
        .since = all.time("since")};
    return all.finish(std::move(read));
}

std::string encode(const draft& what) {
    json::array editors;
    for (const auto& each : what.editors) editors.emplace_back(json::serialize(encoded(each)));
    return json::serialize(json::object{
        {"id", what.id},
        {"state", to_string(what.state)},
        {"base", what.base},
        {"since", stored_time(what.since)},
        {"editors", std::move(editors)},
        {"last_number", what.last_number},
        {"done", what.done},
        {"count", what.count},
        {"bytes", what.bytes},
        {"applying", what.applying ? json::serialize(encoded(*what.applying)) : std::string()},
        {"error", what.error}});
}

result<draft> decode_draft(std::string_view text) {
    TRY(auto all, json_record_reader::of("draft", text));
    draft read{
        .id = all.text("id"),
        .base = all.integer("base"),
        .since = all.time("since"),
        .editors = {},
        .last_number = all.integer("last_number"),
        .done = all.integer("done"),
        .count = all.integer("count"),
        .bytes = all.integer("bytes"),
        .error = all.text("error")};
    const auto state = parse_draft_state(all.text("state"));
    if (!state) all.mark_wrong("state");
    read.state = state.value_or(draft_state::open);
    for (const auto& each : all.list("editors")) {
        TRY(auto one, decode_editor(each));
        read.editors.push_back(std::move(one));
    }
    const auto applying = all.text("applying");
    if (!applying.empty()) {
        TRY(read.applying, decode_application(applying));
    }
    return all.finish(std::move(read));
}

std::string encode(const drafted_change& what) {
    return json::serialize(json::object{
        {"number", what.number},
        {"operation", what.operation},
        {"section", what.section},
        {"name", what.name},
        {"arguments", what.arguments},
        {"by", what.by},
        {"may", what.may},
        {"edit", what.edit},
        {"at", stored_time(what.at)}});
}

result<drafted_change> decode_change(std::string_view text) {
    TRY(auto all, json_record_reader::of("change", text));
    drafted_change read{
        .number = all.integer("number"),
        .operation = all.text("operation"),
        .section = all.text("section"),
        .name = all.text("name"),
        .arguments = all.text("arguments"),
        .by = all.text("by"),
        .may = all.text("may"),
        .edit = all.text("edit"),
        .at = all.time("at")};
    return all.finish(std::move(read));
}

std::string encode(const revision_record& what) {
    return json::serialize(json::object{
        {"number", what.number},
        {"digest", what.digest},
        {"form", what.form},
        {"kind", what.kind},
        {"made", stored_time(what.made)},
        {"made_by", what.made_by},
        {"note", what.note},
        {"changes", what.changes},
        {"draft", what.draft},
        {"sections", stored_digests(what.sections)}});
}

result<revision_record> decode_revision(std::string_view text) {
    TRY(auto all, json_record_reader::of("revision", text));
    revision_record read{
        .number = all.integer("number"),
        .digest = all.text("digest"),
        .form = all.integer("form"),
        .kind = all.text("kind"),
        .made = all.time("made"),
        .made_by = all.text("made_by"),
        .note = all.text("note"),
        .changes = all.integer("changes"),
        .draft = all.text("draft"),
        .sections = read_digests(all, "sections")};
    return all.finish(std::move(read));
}

std::string encode(const change_note& what) {
    return json::serialize(encoded(what));
}

result<change_note> decode_note(std::string_view text) {
    TRY(auto all, json_record_reader::of("note", text));
    change_note read{
        .by = all.text("by"),
        .operation = all.text("operation"),
        .subject = all.text("subject"),
        .at = all.time("at")};
    return all.finish(std::move(read));
}

std::string encode(const holding& what) {
    return json::serialize(
        json::object{{"sections", stored_digests(what.of)}, {"since", stored_time(what.since)}});
}

result<holding> decode_holding(std::string_view text) {
    TRY(auto all, json_record_reader::of("holding", text));
    holding read{.of = read_digests(all, "sections"), .since = all.time("since")};
    return all.finish(std::move(read));
}

std::string encode_entries(const std::vector<change_note>& changes) {
    json::array items;
    for (const auto& each : changes) items.push_back(encoded(each));
    return json::serialize(items);
}

result<std::vector<change_note>> decode_entries(std::string_view text) {
    json::error_code failure;
    const auto parsed = json::parse(json::string_view(text.data(), text.size()), failure);
    if (failure || !parsed.is_array())
        return fail(errc::corrupt, "the entries of a revision are not a JSON array");
    std::vector<change_note> read;
    for (const auto& each : parsed.get_array()) {
        TRY(auto one, decode_note(json::serialize(each)));
        read.push_back(std::move(one));
    }
    return read;
}

}  // namespace muster::revision
