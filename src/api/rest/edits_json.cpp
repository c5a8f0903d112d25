#include "api/rest/edits_json.h"

#include "base/iso_time.h"

#include <boost/json.hpp>

#include <charconv>
#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;
using namespace api;

json::value parsed_or_null(const std::string& text) {
    json::error_code failure;
    auto parsed = json::parse(text, failure);
    return failure ? json::value(nullptr) : parsed;
}

}  // namespace

json::object edit_json(
    const revision::editor& who, const revision::editing_rules& rules, const std::string& asking) {
    return {
        {"id", who.id},
        {"user", who.user},
        {"began", iso_time(who.began)},
        {"seen", iso_time(who.seen)},
        {"expires", iso_time(who.seen + rules.idle_limit)},
        {"note", who.note},
        {"own", who.user == asking},
        {"href", "/api/v1/edits/" + who.id}};
}

json::value leader_json(const revision::leader_record* who) {
    if (who == nullptr) return nullptr;
    return json::object{
        {"server", who->server},
        {"address", who->address},
        {"since", iso_time(who->since)},
        {"term", who->term}};
}

json::object change_json(const revision::drafted_change& what) {
    return {
        {"number", what.number},
        {"operation", what.operation},
        {"section", what.section},
        {"name", what.name},
        {"arguments", parsed_or_null(what.arguments)},
        {"by", what.by},
        {"edit", what.edit},
        {"at", iso_time(what.at)},
        {"before", nullptr},
        {"error", nullptr}};
}

json::object revision_json(const revision::revision_record& what) {
    return {
        {"number", what.number},
        {"digest", what.digest},
        {"made", iso_time(what.made)},
        {"made_by", what.made_by},
        {"note", what.note},
        {"kind", what.kind},
        {"changes", what.changes},
        {"href", "/api/v1/revisions/" + std::to_string(what.number)}};
}

parameter number_in_path() {
    return in_path("number", name().with_about("1, 2, 3, …"));
}

result<std::int64_t> read_number(const std::string& text) {
    std::int64_t number = 0;
    const auto* const end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, number);
    if (failure != std::errc() || stopped != end || number < 1)
        return fail(errc::invalid, "`number` must be a number from 1 on");
    return number;
}

json::value item_json(const std::string* text) {
    if (text == nullptr) return nullptr;
    return parsed_or_null(*text);
}

shape edit_shape(std::vector<shape_member> more) {
    std::vector<shape_member> members{
        required("id", name()),
        required("user", name()),
        required("began", api::time()),
        required("seen", api::time()),
        required("expires", api::time().with_about("unless the editor is heard of before")),
        required("note", text()),
        required("own", flag()),
        required("href", text())};
    for (auto& each : more) members.push_back(std::move(each));
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
         required("before", anything().with_about("the item as it is now; null: there is none")),
         required("error", text().or_nothing().with_about("why it could not be applied"))});
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
