#include "api/rest/people_json.h"

#include "base/iso_time.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;
using namespace api;

constexpr std::int64_t grants_max = 64;

json::string to_json_string(std::string_view text) {
    return json::string(text);
}

}  // namespace

shape grants_shape() {
    return list_of(
        record_of(
            {required("role", name()),
             optional(
                 "zone", text().with_about("zone with its child zones (default: whole cluster)"))}),
        grants_max);
}

shape rights_shape() {
    return list_of(name(), static_cast<std::int64_t>(access::all_rights().size()));
}

shape user_shape() {
    return record_of(
        {required("name", name()),
         required("full_name", text()),
         required("email", text()),
         required("grants", grants_shape()),
         required("disabled", flag()),
         required("must_change", flag().with_about("password must be changed at the next login")),
         required("pam", flag()),
         required("kind", name().with_about("person or service")),
         required("made", api::time().or_nothing()),
         required("revision", integer(0)),
         required("href", text()),
         optional("password", text().with_about("generated password; returned only once"))});
}

shape role_shape() {
    return record_of(
        {required("name", name()),
         required("rights", rights_shape()),
         required("about", text()),
         required("built_in", flag())});
}

shape token_shape() {
    return record_of(
        {required("id", name()),
         required("user", name()),
         required("purpose", text()),
         required("grants", grants_shape()),
         required("rights", rights_shape().or_nothing()),
         required("made", api::time()),
         required("expires", api::time()),
         required("last_used", text().or_nothing().with_about("date of the last use")),
         required("good", flag()),
         optional("secret", text().with_about("secret of the token; returned only once"))});
}

shape session_shape() {
    return record_of(
        {required("id", name()),
         required("user", name()),
         required("began", api::time()),
         required("seen", api::time()),
         required("expires", api::time()),
         required("origin", text())});
}

json::array grants_json(const std::vector<access::grant>& grants) {
    json::array result;
    for (const auto& grant : grants)
        result.push_back(json::object{{"role", grant.role}, {"zone", grant.zone}});
    return result;
}

json::array rights_json(const access::rights& rights) {
    json::array result;
    for (const auto right : rights) result.emplace_back(to_json_string(access::to_string(right)));
    return result;
}

json::object user_json(const people::versioned<people::user_record>& user) {
    const auto& record = user.record;
    json::object result{
        {"name", record.name},
        {"full_name", record.full_name},
        {"email", record.email},
        {"grants", grants_json(record.grants)},
        {"disabled", record.disabled},
        {"must_change", record.must_change},
        {"pam", record.pam},
        {"kind", to_json_string(to_string(record.kind))},
        {"made", nullptr},
        {"revision", user.modified.value()},
        {"href", "/api/v1/users/" + record.name}};
    if (record.made != wall_time()) result["made"] = iso_time(record.made);
    return result;
}

json::object role_json(const people::role_record& role, bool built_in) {
    return {
        {"name", role.name},
        {"rights", rights_json(role.rights)},
        {"about", role.about},
        {"built_in", built_in}};
}

json::object token_json(const people::token_service::listed& token) {
    const auto& record = token.record;
    json::object result{
        {"id", token.id},
        {"user", record.user},
        {"purpose", record.purpose},
        {"grants", grants_json(record.grants)},
        {"rights", nullptr},
        {"made", iso_time(record.made)},
        {"expires", iso_time(record.expires)},
        {"last_used", nullptr},
        {"good", token.valid}};
    if (record.rights) result["rights"] = rights_json(*record.rights);
    if (record.last_used)
        result["last_used"] = iso_time(wall_time(*record.last_used)).substr(0, 10);
    return result;
}

json::object session_json(const people::session_service::listed& session) {
    const auto& record = session.record;
    return {
        {"id", session.id},
        {"user", record.user},
        {"began", iso_time(record.began)},
        {"seen", iso_time(record.seen)},
        {"expires", iso_time(record.expires)},
        {"origin", record.origin}};
}

std::optional<std::vector<access::grant>> read_grants(const call& call) {
    const auto* list = call.arguments().find("grants");
    if (list == nullptr || list->is_nothing()) return std::nullopt;
    std::vector<access::grant> grants;
    for (const auto& item : *list->get<value::list>()) {
        const auto* zone = item.find("zone");
        grants.push_back(
            {.role = *item.find("role")->get<std::string>(),
             .zone = zone == nullptr ? std::string() : *zone->get<std::string>()});
    }
    return grants;
}

result<std::optional<access::rights>> read_rights(const call& call) {
    const auto names = call.optional_texts("rights");
    if (!names) return std::optional<access::rights>();
    access::rights rights;
    for (const auto& name : *names) {
        const auto right = access::parse_right(name);
        if (!right) return fail(errc::invalid, "`rights`: right \"" + name + "\" not found");
        rights.insert(*right);
    }
    return std::optional(std::move(rights));
}

}  // namespace muster::api
