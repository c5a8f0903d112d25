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
    for (const auto& each : grants)
        texts.push_back(each.zone.empty() ? each.role : each.role + " " + each.zone);
    return texts;
}

std::vector<access::grant> grants_from(const std::vector<std::string>& texts) {
    std::vector<access::grant> grants;
    grants.reserve(texts.size());
    for (const auto& each : texts) {
        const auto blank = each.find(' ');
        grants.push_back(
            {.role = each.substr(0, blank),
             .zone = blank == std::string::npos ? "" : each.substr(blank + 1)});
    }
    return grants;
}

json::array stored_rights(const access::rights& rights) {
    json::array stored;
    for (const auto each : rights) stored.emplace_back(access::to_string(each));
    return stored;
}

// A right that a newer server gave is none that this one could check.
access::rights rights_from(const std::vector<std::string>& texts) {
    access::rights rights;
    for (const auto& each : texts) {
        if (const auto known = access::parse_right(each)) rights.insert(*known);
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
    const auto known = parse_user_kind(all.text("kind"));
    if (!known) all.mark_wrong("kind");
    return known.value_or(user_kind::service);
}

}  // namespace

bool is_chief(const user_record& who) {
    const access::grant everything{.role = "admin", .zone = ""};
    const bool enters = !who.password_hash.empty() || who.pam;
    return enters && !who.disabled && who.kind == user_kind::person
           && std::ranges::find(who.grants, everything) != who.grants.end();
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

std::string encode(const user_record& what) {
    return json::serialize(json::object{
        {"name", what.name},
        {"full_name", what.full_name},
        {"email", what.email},
        {"password_hash", what.password_hash},
        {"grants", stored_list(texts_of(what.grants))},
        {"disabled", what.disabled},
        {"must_change", what.must_change},
        {"pam", what.pam},
        {"kind", to_string(what.kind)},
        {"session_era", what.current.sessions},
        {"token_era", what.current.tokens},
        {"made", stored_time(what.made)}});
}

std::string encode(const role_record& what) {
    return json::serialize(json::object{
        {"name", what.name}, {"rights", stored_rights(what.rights)}, {"about", what.about}});
}

std::string encode(const token_record& what) {
    json::object stored{
        {"user", what.user},
        {"purpose", what.purpose},
        {"grants", stored_list(texts_of(what.grants))},
        {"era", what.era},
        {"made", stored_time(what.made)},
        {"expires", stored_time(what.expires)}};
    if (what.rights) stored["rights"] = stored_rights(*what.rights);
    if (what.last_used) stored["last_used"] = what.last_used->time_since_epoch().count();
    return json::serialize(stored);
}

std::string encode(const session_record& what) {
    return json::serialize(json::object{
        {"user", what.user},
        {"began", stored_time(what.began)},
        {"seen", stored_time(what.seen)},
        {"expires", stored_time(what.expires)},
        {"origin", what.origin},
        {"era", what.era}});
}

std::string encode(const access::failed_logins& what) {
    return json::serialize(json::object{{"count", what.count}, {"last", stored_time(what.last)}});
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
