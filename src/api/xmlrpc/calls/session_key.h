#pragma once

#include <string>
#include <string_view>

namespace muster::xmlrpc_api {

// How the compatible API writes a session: `<number>x<64 hexadecimal digits>`. The digits are the
// session's secret; the number is made from it and lets in nobody. An API token may stand in the
// same place as it is.
std::string session_key(std::string_view secret);

// What of a key is the secret.
std::string secret_in(std::string_view key);

// The number, for the sentence by which clients know that they have to log in again; "0" when the
// key has none.
std::string number_in(std::string_view key);

}  // namespace muster::xmlrpc_api
