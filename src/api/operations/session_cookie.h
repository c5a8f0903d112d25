#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::api {

// The session cookie of a browser: bound to this host, only over TLS, hidden from scripts, and
// never sent from pages of other sites. It ends with the browser or with the session.
std::string session_cookie(std::string_view secret);
std::string expired_session_cookie();  // deletes the cookie

// A cookie's value in a request's Cookie field.
std::optional<std::string> find_cookie(std::string_view cookies, std::string_view name);

// The secret in a request's Cookie field.
std::optional<std::string> find_session_secret(std::string_view cookies);

}  // namespace muster::api
