#pragma once

#include <string>
#include <string_view>

namespace muster::xmlrpc_api {

// The compatible API writes a session as `<number>x<64 hexadecimal digits>`. The digits are the
// session's secret. The number is derived from the secret and grants nothing. An API token may be
// used in place of a session key.
std::string session_key(std::string_view secret);

// The secret of a session key, or an API token unchanged.
std::string key_secret(std::string_view key);

// The number of a session key, for the error text that makes clients log in again; "0" if there is
// none.
std::string key_number(std::string_view key);

}  // namespace muster::xmlrpc_api
