#pragma once

#include "apps/muster/cli/client.h"

#include <string>

namespace muster::cli {

struct credentials {
    std::string user;
    std::string password;
};

struct login_result {
    std::string expires;
    bool must_change = false;  // the password only allows to choose another one
};

// Logs in and stores the token for later commands.
std::expected<login_result, api_failure> log_in(
    const client_context& context, const credentials& credentials);

// The response to a login. Nothing: it has no token.
struct login_response {
    std::string token;
    login_result result;
};
std::optional<login_response> read_login_response(const boost::json::value& response);

}  // namespace muster::cli
