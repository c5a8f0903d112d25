#include "services/people/record.h"

#include "runtime/json/record_reader.h"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace muster::people {
namespace {

namespace json = boost::json;
using runtime::json_record_reader;
using runtime::stored_list;
using runtime::stored_time;

// Grants are lists of texts "ROLE ZONE": a name has no blank in it, and no zone means all.
std::vector<std::string> texts_of(const std::vector<access::grant>& grants) {
    std::vector<std::string> texts;
    texts.reserve(grants.size());
    for (const auto& grant : grants)
        texts.push_back(grant.zone.empty() ? grant.role : grant.role + " " + grant.zone);
    return texts;
}

std::vector<access::grant> grants_from(const std::vector<std::string>& texts) {
    std::vector<access::grant> grants;
    grants.reserve(texts.size());
    for (const auto& text : texts) {
        const auto blank = text.find(' ');
        grants.push_back(
            {.role = text.substr(0, blank),
             .zone = blank == std::string::npos ? "" : text.substr(blank + 1)});
    }
    return grants;
}

json::array stored_rights(const access::rights& rights) {
    json::array stored;
    for (const auto right : rights) stored.emplace_back(access::to_string(right));
    return stored;
}

// A right that a newer server gave is none that this one could check.
access::rights rights_from(const std::vector<std::string>& texts) {
    access::rights rights;
    for (const auto& text : texts) {
        if (const auto right = access::parse_right(text)) rights.insert(*right);
    }
    return rights;
}

std::string text_or_none(json_record_reader& all, std::string_view name) {
    return all.has(name) ? all.text(name) : std::string();
}
bool flag_or_no(json_record_reader& all, std::string_view name) {
    return all.has(name) && all.boolean(name);
}
wall_time time_or_none(json_record_reader& all, std::string_view name) {
    return all.has(name) ? all.time(name) : wall_time();
}

user_kind kind_of(json_record_reader& all) {
    if (!all.has("kind")) return user_kind::person;
    const auto existing = parse_user_kind(all.text("kind"));
    if (!existing) all.mark_wrong("kind");
    return existing.value_or(user_kind::service);
}

}  // namespace

bool is_chief(const user_record& user) {
    const access::grant everything{.role = "admin", .zone = ""};
    const bool enters = !user.password_hash.empty() || user.pam;
    return enters && !user.disabled && user.kind == user_kind::person
           && std::ranges::find(user.grants, everything) != user.grants.end();
}

std::string_view to_string(user_kind what) {
    return what == user_kind::service ? "service" : "person";
}

std::optional<user_kind> parse_user_kind(std::string_view text) {
    for (const auto each : {user_kind::person, user_kind::service}) {
        if (to_string(each) == text) return each;
    }
    return std::nullopt;
}

std::string encode(const user_record& user) {
    return json::serialize(json::object{
        {"name", user.name},
        {"full_name", user.full_name},
        {"email", user.email},
        {"password_hash", user.password_hash},
        {"grants", stored_list(texts_of(user.grants))},
        {"disabled", user.disabled},
        {"must_change", user.must_change},
        {"pam", user.pam},
        {"kind", to_string(user.kind)},
        {"session_era", user.current.sessions},
        {"token_era", user.current.tokens},
        {"made", stored_time(user.made)}});
}

std::string encode(const role_record& role) {
    return json::serialize(json::object{
        {"name", role.name}, {"rights", stored_rights(role.rights)}, {"about", role.about}});
}

std::string encode(const token_record& token) {
    json::object stored{
        {"user", token.user},
        {"purpose", token.purpose},
        {"grants", stored_list(texts_of(token.grants))},
        {"era", token.era},
        {"made", stored_time(token.made)},
        {"expires", stored_time(token.expires)}};
    if (token.rights) stored["rights"] = stored_rights(*token.rights);
    if (token.last_used) stored["last_used"] = token.last_used->time_since_epoch().count();
    return json::serialize(stored);
}

std::string encode(const session_record& session) {
    return json::serialize(json::object{
        {"user", session.user},
        {"began", stored_time(session.began)},
        {"seen", stored_time(session.seen)},
        {"expires", stored_time(session.expires)},
        {"origin", session.origin},
        {"era", session.era}});
}

std::string encode(const access::failed_logins& failed_logins) {
    return json::serialize(
        json::object{{"count", failed_logins.count}, {"last", stored_time(failed_logins.last)}});
}

result<user_record> decode_user(std::string_view text) {
    TRY(auto all, json_record_reader::of("user", text));
    user_record read{.name = all.text("name"), .password_hash = all.text("password_hash")};
    read.full_name = text_or_none(all, "full_name");
    read.email = text_or_none(all, "email");
    read.grants = all.has("grants") ? grants_from(all.list("grants"))
                                    : std::vector{access::grant{.role = "admin", .zone = ""}};
    read.disabled = flag_or_no(all, "disabled");
    read.must_change = flag_or_no(all, "must_change");
    read.pam = flag_or_no(all, "pam");
    read.kind = kind_of(all);
    read.current.sessions = text_or_none(all, "session_era");
    read.current.tokens = text_or_none(all, "token_era");
    read.made = time_or_none(all, "made");
    return all.finish(std::move(read));
}

result<role_record> decode_role(std::string_view text) {
    TRY(auto all, json_record_reader::of("role", text));
    role_record read{
        .name = all.text("name"),
        .rights = rights_from(all.list("rights")),
        .about = text_or_none(all, "about")};
    return all.finish(std::move(read));
}

result<token_record> decode_token(std::string_view text) {
    TRY(auto all, json_record_reader::of("token", text));
    token_record read{.user = all.text("user"), .purpose = all.text("purpose")};
    read.grants = grants_from(all.list("grants"));
    if (all.has("rights")) read.rights = rights_from(all.list("rights"));
    read.era = all.text("era");
    read.made = all.time("made");
    read.expires = all.time("expires");
    if (all.has("last_used"))
        read.last_used = std::chrono::sys_days(std::chrono::days(all.integer("last_used")));
    return all.finish(std::move(read));
}

result<session_record> decode_session(std::string_view text) {
    TRY(auto all, json_record_reader::of("session", text));
    session_record read{.user = all.text("user"), .expires = all.time("expires")};
    read.began = time_or_none(all, "began");
    // One of an older server was never seen again: it lives until it expires.
    read.seen = all.has("seen") ? all.time("seen") : read.expires;
    read.origin = text_or_none(all, "origin");
    read.era = text_or_none(all, "era");
    return all.finish(std::move(read));
}

result<access::failed_logins> decode_failures(std::string_view text) {
    TRY(auto all, json_record_reader::of("failed logins", text));
    const auto count = all.integer("count");
    if (count < 0) all.mark_wrong("count");
    access::failed_logins read{
        .count = static_cast<std::uint32_t>(std::clamp<std::int64_t>(count, 0, UINT32_MAX)),
        .last = all.time("last")};
    return all.finish(read);
}

}  // namespace muster::people
