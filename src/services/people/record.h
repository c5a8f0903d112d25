#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/access/lockout.h"
#include "core/access/right.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::people {

// People and what lets them in, kept in the metastore as JSON like the cluster's other records.
// Members that are not known are left alone, and those that older servers did not write have a
// meaning when they are missing.

enum class user_kind {
    person,   // logs in with a password
    service,  // a program: has tokens only
};

// Sessions and tokens carry the era of their user in which they were made, and are good in no
// other: a new era ends them all at once, however many there are and wherever they are known.
struct credential_generations {
    std::string sessions;
    std::string tokens;

    friend bool operator==(const credential_generations&, const credential_generations&) = default;
};

struct user_record {
    std::string name;
    std::string full_name = {};
    std::string email = {};
    std::string password_hash = {};  // empty: no password lets this one in
    // A record without any is of a time when everybody was an admin.
    std::vector<access::grant> grants = {};
    bool disabled = false;
    bool must_change = false;  // the password is good for choosing another one only
    bool pam = false;          // the machine's PAM knows the password
    user_kind kind = user_kind::person;
    credential_generations current = {};
    wall_time made = {};

    friend bool operator==(const user_record&, const user_record&) = default;
};

struct role_record {
    std::string name;
    access::rights rights = {};
    std::string about = {};

    friend bool operator==(const role_record&, const role_record&) = default;
};

struct token_record {
    std::string user;
    std::string purpose = {};
    std::vector<access::grant> grants = {};     // narrow the user's own; none: all of them
    std::optional<access::rights> rights = {};  // and these rights only; nothing: all of them
    std::string era = {};
    wall_time made = {};
    wall_time expires = {};
    std::optional<std::chrono::sys_days> last_used = {};

    friend bool operator==(const token_record&, const token_record&) = default;
};

struct session_record {
    std::string user;
    wall_time began = {};
    wall_time seen = {};     // a while behind: not every request is written down
    wall_time expires = {};  // at the latest
    std::string origin = {};
    std::string era = {};

    friend bool operator==(const session_record&, const session_record&) = default;
};

// Of an enabled person who may do everything everywhere, and can log in to do it.
bool is_chief(const user_record& user);

std::string_view to_string(user_kind what);
std::optional<user_kind> parse_user_kind(std::string_view text);

std::string encode(const user_record& user);
std::string encode(const role_record& role);
std::string encode(const token_record& token);
std::string encode(const session_record& session);
std::string encode(const access::failed_logins& failed_logins);

// errc::corrupt when the text is not such a record.
result<user_record> decode_user(std::string_view text);
result<role_record> decode_role(std::string_view text);
result<token_record> decode_token(std::string_view text);
result<session_record> decode_session(std::string_view text);
result<access::failed_logins> decode_failures(std::string_view text);

}  // namespace muster::people
