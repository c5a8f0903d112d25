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

json::object encoded(const editor& editor) {
    return {
        {"id", editor.id},
        {"user", editor.user},
        {"note", editor.note},
        {"began", stored_time(editor.began)},
        {"seen", stored_time(editor.seen)}};
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

json::object encoded(const application& application) {
    return {
        {"by", application.by},
        {"edit", application.edit},
        {"note", application.note},
        {"since", stored_time(application.since)},
        {"doing", application.doing},
        {"before", application.before}};
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

json::object encoded(const direct_change& direct_change) {
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
        {"purpose", word_of(leader.what)},
        {"user", leader.user},
        {"term", leader.term},
        {"id", leader.id},
        {"since", stored_time(leader.since)}});
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

std::string encode(const draft& draft) {
    json::array editors;
    for (const auto& editor : draft.editors) editors.emplace_back(json::serialize(encoded(editor)));
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
        {"applying", draft.applying ? json::serialize(encoded(*draft.applying)) : std::string()},
        {"error", draft.error}});
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
        TRY(auto editor, decode_editor(each));
        read.editors.push_back(std::move(editor));
    }
    const auto applying = all.text("applying");
    if (!applying.empty()) {
        TRY(read.applying, decode_application(applying));
    }
    return all.finish(std::move(read));
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
    TRY(auto all, json_record_reader::of("change", text));
    draft_change read{
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
        {"sections", stored_digests(revision.sections)}});
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

std::string encode(const direct_change& direct_change) {
    return json::serialize(encoded(direct_change));
}

result<direct_change> decode_note(std::string_view text) {
    TRY(auto all, json_record_reader::of("note", text));
    direct_change read{
        .by = all.text("by"),
        .operation = all.text("operation"),
        .subject = all.text("subject"),
        .at = all.time("at")};
    return all.finish(std::move(read));
}

std::string encode(const held_digests& held_digests) {
    return json::serialize(json::object{
        {"sections", stored_digests(held_digests.of)}, {"since", stored_time(held_digests.since)}});
}

result<held_digests> decode_holding(std::string_view text) {
    TRY(auto all, json_record_reader::of("holding", text));
    held_digests read{.of = read_digests(all, "sections"), .since = all.time("since")};
    return all.finish(std::move(read));
}

std::string encode_entries(const std::vector<direct_change>& changes) {
    json::array items;
    for (const auto& change : changes) items.push_back(encoded(change));
    return json::serialize(items);
}

result<std::vector<direct_change>> decode_entries(std::string_view text) {
    json::error_code failure;
    const auto parsed = json::parse(json::string_view(text.data(), text.size()), failure);
    if (failure || !parsed.is_array())
        return fail(errc::corrupt, "the entries of a revision are not a JSON array");
    std::vector<direct_change> read;
    for (const auto& each : parsed.get_array()) {
        TRY(auto note, decode_note(json::serialize(each)));
        read.push_back(std::move(note));
    }
    return read;
}

}  // namespace muster::revision
