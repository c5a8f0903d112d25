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

const char* to_text(purpose kind) {
    return kind == purpose::edit ? "edit" : "turn";
}

json::array to_json(const digests& digests) {
    json::array items;
    for (const auto& [name, digest] : digests) items.emplace_back(name + ":" + digest);
    return items;
}

digests read_digests(json_record_reader& reader, std::string_view member) {
    digests result;
    for (const auto& text : reader.list(member)) {
        const auto colon = text.find(':');
        if (colon == std::string::npos)
            reader.mark_wrong(member);
        else
            result.emplace(text.substr(0, colon), text.substr(colon + 1));
    }
    return result;
}

json::object to_json(const editor& editor) {
    return {
        {"id", editor.id},
        {"user", editor.user},
        {"note", editor.note},
        {"began", stored_time(editor.began)},
        {"seen", stored_time(editor.seen)}};
}

result<editor> decode_editor(std::string_view text) {
    TRY(auto reader, json_record_reader::parse("editor", text));
    editor decoded{
        .id = reader.text("id"),
        .user = reader.text("user"),
        .note = reader.text("note"),
        .began = reader.time("began"),
        .seen = reader.time("seen")};
    return reader.finish(std::move(decoded));
}

json::object to_json(const application& application) {
    return {
        {"by", application.by},
        {"edit", application.edit},
        {"note", application.note},
        {"since", stored_time(application.since)},
        {"doing", application.doing},
        {"before", application.before}};
}

result<application> decode_application(std::string_view text) {
    TRY(auto reader, json_record_reader::parse("application", text));
    application decoded{
        .by = reader.text("by"),
        .edit = reader.text("edit"),
        .note = reader.text("note"),
        .since = reader.time("since"),
        .doing = reader.integer("doing"),
        .before = reader.text("before")};
    return reader.finish(std::move(decoded));
}

json::object to_json(const direct_change& direct_change) {
    return {
        {"by", direct_change.by},
        {"operation", direct_change.operation},
        {"subject", direct_change.subject},
        {"at", stored_time(direct_change.at)}};
}

}  // namespace

std::string encode(const leader_record& leader) {
    return json::serialize(json::object{
        {"server", leader.server},
        {"address", leader.address},
        {"purpose", to_text(leader.kind)},
        {"user", leader.user},
        {"term", leader.term},
        {"id", leader.id},
        {"since", stored_time(leader.since)}});
}

result<leader_record> decode_leader(std::string_view text) {
    TRY(auto reader, json_record_reader::parse("leader", text));
    leader_record leader{
        .server = reader.text("server"),
        .address = reader.text("address"),
        .kind = reader.text("purpose") == "edit" ? purpose::edit : purpose::turn,
        .user = reader.text("user"),
        .term = reader.integer("term"),
        .id = reader.text("id"),
        .since = reader.time("since")};
    return reader.finish(std::move(leader));
}

std::string encode(const draft& draft) {
    json::array editors;
    for (const auto& editor : draft.editors) editors.emplace_back(json::serialize(to_json(editor)));
    return json::serialize(json::object{
        {"id", draft.id},
        {"state", to_string(draft.state)},
        {"base", draft.base},
        {"since", stored_time(draft.since)},
        {"editors", std::move(editors)},
        {"last_number", draft.last_number},
        {"done", draft.done},
        {"count", draft.count},
        {"bytes", draft.bytes},
        {"applying", draft.applying ? json::serialize(to_json(*draft.applying)) : std::string()},
        {"error", draft.error}});
}

result<draft> decode_draft(std::string_view text) {
    TRY(auto reader, json_record_reader::parse("draft", text));
    draft decoded{
        .id = reader.text("id"),
        .base = reader.integer("base"),
        .since = reader.time("since"),
        .editors = {},
        .last_number = reader.integer("last_number"),
        .done = reader.integer("done"),
        .count = reader.integer("count"),
        .bytes = reader.integer("bytes"),
        .error = reader.text("error")};
    const auto state = parse_draft_state(reader.text("state"));
    if (!state) reader.mark_wrong("state");
    decoded.state = state.value_or(draft_state::open);
    for (const auto& editor_text : reader.list("editors")) {
        TRY(auto editor, decode_editor(editor_text));
        decoded.editors.push_back(std::move(editor));
    }
    const auto applying = reader.text("applying");
    if (!applying.empty()) {
        TRY(decoded.applying, decode_application(applying));
    }
    return reader.finish(std::move(decoded));
}

std::string encode(const draft_change& draft_change) {
    return json::serialize(json::object{
        {"number", draft_change.number},
        {"operation", draft_change.operation},
        {"section", draft_change.section},
        {"name", draft_change.name},
        {"arguments", draft_change.arguments},
        {"by", draft_change.by},
        {"may", draft_change.may},
        {"edit", draft_change.edit},
        {"at", stored_time(draft_change.at)}});
}

result<draft_change> decode_change(std::string_view text) {
    TRY(auto reader, json_record_reader::parse("change", text));
    draft_change change{
        .number = reader.integer("number"),
        .operation = reader.text("operation"),
        .section = reader.text("section"),
        .name = reader.text("name"),
        .arguments = reader.text("arguments"),
        .by = reader.text("by"),
        .may = reader.text("may"),
        .edit = reader.text("edit"),
        .at = reader.time("at")};
    return reader.finish(std::move(change));
}

std::string encode(const revision_record& revision) {
    return json::serialize(json::object{
        {"number", revision.number},
        {"digest", revision.digest},
        {"form", revision.form},
        {"kind", revision.kind},
        {"made", stored_time(revision.made)},
        {"made_by", revision.made_by},
        {"note", revision.note},
        {"changes", revision.changes},
        {"draft", revision.draft},
        {"sections", to_json(revision.sections)}});
}

result<revision_record> decode_revision(std::string_view text) {
    TRY(auto reader, json_record_reader::parse("revision", text));
    revision_record revision{
        .number = reader.integer("number"),
        .digest = reader.text("digest"),
        .form = reader.integer("form"),
        .kind = reader.text("kind"),
        .made = reader.time("made"),
        .made_by = reader.text("made_by"),
        .note = reader.text("note"),
        .changes = reader.integer("changes"),
        .draft = reader.text("draft"),
        .sections = read_digests(reader, "sections")};
    return reader.finish(std::move(revision));
}

std::string encode(const direct_change& direct_change) {
    return json::serialize(to_json(direct_change));
}

result<direct_change> decode_note(std::string_view text) {
    TRY(auto reader, json_record_reader::parse("note", text));
    direct_change change{
        .by = reader.text("by"),
        .operation = reader.text("operation"),
        .subject = reader.text("subject"),
        .at = reader.time("at")};
    return reader.finish(std::move(change));
}

std::string encode(const held_digests& held_digests) {
    return json::serialize(json::object{
        {"sections", to_json(held_digests.digests)}, {"since", stored_time(held_digests.since)}});
}

result<held_digests> decode_holding(std::string_view text) {
    TRY(auto reader, json_record_reader::parse("holding", text));
    held_digests held{.digests = read_digests(reader, "sections"), .since = reader.time("since")};
    return reader.finish(std::move(held));
}

std::string encode_entries(const std::vector<direct_change>& changes) {
    json::array items;
    for (const auto& change : changes) items.push_back(to_json(change));
    return json::serialize(items);
}

result<std::vector<direct_change>> decode_entries(std::string_view text) {
    json::error_code failure;
    const auto parsed = json::parse(json::string_view(text.data(), text.size()), failure);
    if (failure || !parsed.is_array())
        return fail(errc::corrupt, "revision entries are not a JSON array");
    std::vector<direct_change> changes;
    for (const auto& item : parsed.get_array()) {
        TRY(auto note, decode_note(json::serialize(item)));
        changes.push_back(std::move(note));
    }
    return changes;
}

}  // namespace muster::revision
