#pragma once

#include <string>
#include <string_view>

namespace muster::people::keys {

// Keys of users, roles and credentials in the metastore. Secrets are stored as digests only.
inline constexpr std::string_view users = "users/";
inline constexpr std::string_view roles = "roles/";
inline constexpr std::string_view sessions = "sessions/";     // by digest, each under a lease
inline constexpr std::string_view tokens = "api-tokens/";     // by digest
inline constexpr std::string_view failures = "login-fails/";  // by user, each under a lease

inline std::string under(std::string_view prefix, std::string_view name) {
    return std::string(prefix) + std::string(name);
}
inline std::string user(std::string_view name) {
    return under(users, name);
}
inline std::string role(std::string_view name) {
    return under(roles, name);
}
inline std::string session(std::string_view digest) {
    return under(sessions, digest);
}
inline std::string token(std::string_view digest) {
    return under(tokens, digest);
}
inline std::string failures_of(std::string_view user_name) {
    return under(failures, user_name);
}

}  // namespace muster::people::keys
