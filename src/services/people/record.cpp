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

// Grants are stored as texts "ROLE ZONE". Names contain no blank; no zone means all zones.
std::vector<std::string> to_texts(const std::vector<access::grant>& grants) {
    std::vector<std::string> texts;
    texts.reserve(grants.size());
    for (const auto& grant : grants)
        texts.push_back(grant.zone.empty() ? grant.role : grant.role + " " + grant.zone);
    return texts;
}

std::vector<access::grant> to_grants(const std::vector<std::string>& texts) {
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

// Ignores rights of newer servers, which this one cannot check.
access::rights to_rights(const std::vector<std::string>& texts) {
    access::rights rights;
    for (const auto& text : texts) {
        if (const auto right = access::parse_right(text)) rights.insert(*right);
    }
    return rights;
}

std::string read_text(json_record_reader& reader, std::string_view name) {
    return reader.has(name) ? reader.text(name) : std::string();
}
bool read_flag(json_record_reader& reader, std::string_view name) {
    return reader.has(name) && reader.boolean(name);
}
wall_time read_time(json_record_reader& reader, std::string_view name) {
    return reader.has(name) ? reader.time(name) : wall_time();
}

user_kind read_kind(json_record_reader& reader) {
    if (!reader.has("kind")) return user_kind::person;
    const auto kind = parse_user_kind(reader.text("kind"));
    if (!kind) reader.mark_wrong("kind");
    return kind.value_or(user_kind::service);
}

}  // namespace

bool is_cluster_admin(const user_record& user) {
    const access::grant admin_grant{.role = "admin", .zone = ""};
    const bool can_log_in = !user.password_hash.empty() || user.pam;
    return can_log_in && !user.disabled && user.kind == user_kind::person
           && std::ranges::find(user.grants, admin_grant) != user.grants.end();
}

std::string_view to_string(user_kind kind) {
    return kind == user_kind::service ? "service" : "person";
}

std::optional<user_kind> parse_user_kind(std::string_view text) {
    for (const auto kind : {user_kind::person, user_kind::service}) {
        if (to_string(kind) == text) return kind;
    }
    return std::nullopt;
}

std::string encode(const user_record& user) {
    return json::serialize(json::object{
        {"name", user.name},
        {"full_name", user.full_name},
        {"email", user.email},
        {"password_hash", user.password_hash},
        {"grants", stored_list(to_texts(user.grants))},
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
        {"grants", stored_list(to_texts(token.grants))},
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
    TRY(auto reader, json_record_reader::parse("user", text));
    user_record user{.name = reader.text("name"), .password_hash = reader.text("password_hash")};
    user.full_name = read_text(reader, "full_name");
    user.email = read_text(reader, "email");
    user.grants = reader.has("grants") ? to_grants(reader.list("grants"))
                                       : std::vector{access::grant{.role = "admin", .zone = ""}};
    user.disabled = read_flag(reader, "disabled");
    user.must_change = read_flag(reader, "must_change");
    user.pam = read_flag(reader, "pam");
    user.kind = read_kind(reader);
    user.current.sessions = read_text(reader, "session_era");
    user.current.tokens = read_text(reader, "token_era");
    user.made = read_time(reader, "made");
    return reader.finish(std::move(user));
}

result<role_record> decode_role(std::string_view text) {
    TRY(auto reader, json_record_reader::parse("role", text));
    role_record role{
        .name = reader.text("name"),
        .rights = to_rights(reader.list("rights")),
        .about = read_text(reader, "about")};
    return reader.finish(std::move(role));
}

result<token_record> decode_token(std::string_view text) {
    TRY(auto reader, json_record_reader::parse("token", text));
    token_record token{.user = reader.text("user"), .purpose = reader.text("purpose")};
    token.grants = to_grants(reader.list("grants"));
    if (reader.has("rights")) token.rights = to_rights(reader.list("rights"));
    token.era = reader.text("era");
    token.made = reader.time("made");
    token.expires = reader.time("expires");
    if (reader.has("last_used"))
        token.last_used = std::chrono::sys_days(std::chrono::days(reader.integer("last_used")));
    return reader.finish(std::move(token));
}

result<session_record> decode_session(std::string_view text) {
    TRY(auto reader, json_record_reader::parse("session", text));
    session_record session{.user = reader.text("user"), .expires = reader.time("expires")};
    session.began = read_time(reader, "began");
    // Older servers did not record uses: such a session lives until it expires.
    session.seen = reader.has("seen") ? reader.time("seen") : session.expires;
    session.origin = read_text(reader, "origin");
    session.era = read_text(reader, "era");
    return reader.finish(std::move(session));
}

result<access::failed_logins> decode_failures(std::string_view text) {
    TRY(auto reader, json_record_reader::parse("failed logins", text));
    const auto count = reader.integer("count");
    if (count < 0) reader.mark_wrong("count");
    access::failed_logins failures{
        .count = static_cast<std::uint32_t>(std::clamp<std::int64_t>(count, 0, UINT32_MAX)),
        .last = reader.time("last")};
    return reader.finish(failures);
}

}  // namespace muster::people
