#include "api/rest/people_json.h"

#include "base/iso_time.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;
using namespace api;

constexpr std::int64_t grants_max = 64;

json::string text_of(std::string_view text) {
    return json::string(text);
}

}  // namespace

shape grants_shape() {
    return list_of(
        record_of(
            {required("role", name()),
             optional("zone", text().with_about("with all zones below it; none: everywhere"))}),
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
         required("must_change", flag().with_about("the password is for choosing another only")),
         required("pam", flag()),
         required("kind", name().with_about("person or service")),
         required("made", api::time().or_nothing()),
         required("revision", integer(0)),
         required("href", text()),
         optional("password", text().with_about("only now: one that was made up"))});
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
         required("last_used", text().or_nothing().with_about("a day")),
         required("good", flag()),
         optional("secret", text().with_about("only now"))});
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
    for (const auto right : rights) result.emplace_back(text_of(access::to_string(right)));
    return result;
}

json::object user_json(const people::known<people::user_record>& user) {
    const auto& of = user.record;
    json::object result{
        {"name", of.name},
        {"full_name", of.full_name},
        {"email", of.email},
        {"grants", grants_json(of.grants)},
        {"disabled", of.disabled},
        {"must_change", of.must_change},
        {"pam", of.pam},
        {"kind", text_of(to_string(of.kind))},
        {"made", nullptr},
        {"revision", user.modified.value()},
        {"href", "/api/v1/users/" + of.name}};
    if (of.made != wall_time()) result["made"] = iso_time(of.made);
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
    const auto& of = token.record;
    json::object result{
        {"id", token.id},
        {"user", of.user},
        {"purpose", of.purpose},
        {"grants", grants_json(of.grants)},
        {"rights", nullptr},
        {"made", iso_time(of.made)},
        {"expires", iso_time(of.expires)},
        {"last_used", nullptr},
        {"good", token.good}};
    if (of.rights) result["rights"] = rights_json(*of.rights);
    if (of.last_used) result["last_used"] = iso_time(wall_time(*of.last_used)).substr(0, 10);
    return result;
}

json::object session_json(const people::session_service::listed& session) {
    const auto& of = session.record;
    return {
        {"id", session.id},
        {"user", of.user},
        {"began", iso_time(of.began)},
        {"seen", iso_time(of.seen)},
        {"expires", iso_time(of.expires)},
        {"origin", of.origin}};
}

std::optional<std::vector<access::grant>> grants_in(const call& call) {
    const auto* input = call.arguments().find("grants");
    if (input == nullptr || input->is_nothing()) return std::nullopt;
    std::vector<access::grant> grants;
    for (const auto& each : *input->get<value::list>()) {
        const auto* zone = each.find("zone");
        grants.push_back(
            {.role = *each.find("role")->get<std::string>(),
             .zone = zone == nullptr ? std::string() : *zone->get<std::string>()});
    }
    return grants;
}

result<std::optional<access::rights>> rights_in(const call& call) {
    const auto words = call.optional_texts("rights");
    if (!words) return std::optional<access::rights>();
    access::rights rights;
    for (const auto& word : *words) {
        const auto read = access::parse_right(word);
        if (!read) return fail(errc::invalid, "`rights`: there is no right " + word);
        rights.insert(*read);
    }
    return std::optional(std::move(rights));
}

}  // namespace muster::api
