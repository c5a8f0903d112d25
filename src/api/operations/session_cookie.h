#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::api {

// The cookie that carries a browser's session: for this host and its TLS port only, out of reach of
// scripts, and never sent along by another site's page. It ends with the browser, or when the
// session does.
std::string session_cookie(std::string_view secret);
std::string no_session_cookie();  // takes it away

// A cookie's value in a request's Cookie field.
std::optional<std::string> cookie_in(std::string_view cookies, std::string_view name);

// The secret in a request's Cookie field.
std::optional<std::string> session_in(std::string_view cookies);

}  // namespace muster::api
