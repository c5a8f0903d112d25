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

// Records of users and their credentials in the metastore, stored as JSON. Readers ignore unknown
// members and have defaults for members that older servers did not write.

enum class user_kind {
    person,   // logs in with a password
    service,  // a program: has tokens only
};

// Generations of the credentials of a user. A session or token is valid only in the generation it
// was created in, so a new generation ends all of them at once.
struct credential_generations {
    std::string sessions;
    std::string tokens;

    friend bool operator==(const credential_generations&, const credential_generations&) = default;
};

struct user_record {
    std::string name;
    std::string full_name = {};
    std::string email = {};
    std::string password_hash = {};  // empty: no login by password
    // A record without grants is from a time when every user was an admin.
    std::vector<access::grant> grants = {};
    bool disabled = false;
    bool must_change = false;  // the password must be changed at the next login
    bool pam = false;          // the password is checked by PAM
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
    std::vector<access::grant> grants = {};     // narrow the grants of the user; none: all of them
    std::optional<access::rights> rights = {};  // narrow the rights; nothing: all of them
    std::string era = {};
    wall_time made = {};
    wall_time expires = {};
    std::optional<std::chrono::sys_days> last_used = {};

    friend bool operator==(const token_record&, const token_record&) = default;
};

struct session_record {
    std::string user;
    wall_time began = {};
    wall_time seen = {};     // last use; updated with a delay
    wall_time expires = {};  // latest end
    std::string origin = {};
    std::string era = {};

    friend bool operator==(const session_record&, const session_record&) = default;
};

// Whether the user is an enabled person who can log in and is an admin of the whole cluster.
bool is_cluster_admin(const user_record& user);

std::string_view to_string(user_kind kind);
std::optional<user_kind> parse_user_kind(std::string_view text);

std::string encode(const user_record& user);
std::string encode(const role_record& role);
std::string encode(const token_record& token);
std::string encode(const session_record& session);
std::string encode(const access::failed_logins& failed_logins);

// errc::corrupt when the text is not a valid record.
result<user_record> decode_user(std::string_view text);
result<role_record> decode_role(std::string_view text);
result<token_record> decode_token(std::string_view text);
result<session_record> decode_session(std::string_view text);
result<access::failed_logins> decode_failures(std::string_view text);

}  // namespace muster::people
