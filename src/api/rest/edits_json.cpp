#include "api/rest/edits_json.h"

#include "base/iso_time.h"

#include <boost/json.hpp>

#include <charconv>
#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;
using namespace api;

json::value parse_or_null(const std::string& text) {
    json::error_code failure;
    auto parsed = json::parse(text, failure);
    return failure ? json::value(nullptr) : parsed;
}

}  // namespace

json::object edit_json(
    const revision::editor& editor,
    const revision::editing_rules& rules,
    const std::string& caller) {
    return {
        {"id", editor.id},
        {"user", editor.user},
        {"began", iso_time(editor.began)},
        {"seen", iso_time(editor.seen)},
        {"expires", iso_time(editor.seen + rules.idle_limit)},
        {"note", editor.note},
        {"own", editor.user == caller},
        {"href", "/api/v1/edits/" + editor.id}};
}

json::value leader_json(const revision::leader_record* leader) {
    if (leader == nullptr) return nullptr;
    return json::object{
        {"server", leader->server},
        {"address", leader->address},
        {"since", iso_time(leader->since)},
        {"term", leader->term}};
}

json::object change_json(const revision::draft_change& draft_change) {
    return {
        {"number", draft_change.number},
        {"operation", draft_change.operation},
        {"section", draft_change.section},
        {"name", draft_change.name},
        {"arguments", parse_or_null(draft_change.arguments)},
        {"by", draft_change.by},
        {"edit", draft_change.edit},
        {"at", iso_time(draft_change.at)},
        {"before", nullptr},
        {"error", nullptr}};
}

json::object revision_json(const revision::revision_record& revision) {
    return {
        {"number", revision.number},
        {"digest", revision.digest},
        {"made", iso_time(revision.made)},
        {"made_by", revision.made_by},
        {"note", revision.note},
        {"kind", revision.kind},
        {"changes", revision.changes},
        {"href", "/api/v1/revisions/" + std::to_string(revision.number)}};
}

parameter number_in_path() {
    return in_path("number", name().with_about("number, starting at 1"));
}

result<std::int64_t> read_number(const std::string& text) {
    std::int64_t number = 0;
    const auto* const end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, number);
    if (failure != std::errc() || stopped != end || number < 1)
        return fail(errc::invalid, "`number` must be a positive integer");
    return number;
}

json::value item_json(const std::string* text) {
    if (text == nullptr) return nullptr;
    return parse_or_null(*text);
}

shape edit_shape(std::vector<shape_member> extra_members) {
    std::vector<shape_member> members{
        required("id", name()),
        required("user", name()),
        required("began", api::time()),
        required("seen", api::time()),
        required(
            "expires", api::time().with_about("expiry time; each keepalive extends the session")),
        required("note", text()),
        required("own", flag()),
        required("href", text())};
    for (auto& member : extra_members) members.push_back(std::move(member));
    return record_of(std::move(members));
}

shape leader_shape() {
    return record_of({required("server", name()),
                      required("address", text()),
                      required("since", api::time()),
                      required("term", integer(0))})
        .or_nothing();
}

shape change_shape() {
    return record_of(
        {required("number", integer(1)),
         required("operation", name()),
         required("section", text()),
         required("name", text()),
         required("arguments", anything()),
         required("by", name()),
         required("edit", name()),
         required("at", api::time()),
         required("before", anything().with_about("current item; null if absent")),
         required("error", text().or_nothing().with_about("error of the failed apply"))});
}

std::vector<shape_member> revision_members() {
    return {
        required("number", integer(1)),
        required("digest", text()),
        required("made", api::time()),
        required("made_by", text()),
        required("note", text()),
        required("kind", name().with_about("first, applied, partial, direct or found")),
        required("changes", integer(0)),
        required("href", text())};
}

}  // namespace muster::api
