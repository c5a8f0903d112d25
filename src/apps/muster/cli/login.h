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
    bool must_change = false;  // the password is good for choosing another one only
};

// Logs in and keeps the token for later commands.
std::expected<login_result, api_failure> log_in(
    const client_context& where, const credentials& credentials);

// What a server says that let somebody in. Nothing: it holds no token.
struct login_answer {
    std::string token;
    login_result opened;
};
std::optional<login_answer> read_login_answer(const boost::json::value& response);

}  // namespace muster::cli
