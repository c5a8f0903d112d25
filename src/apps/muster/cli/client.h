#pragma once

#include "apps/muster/cli/exit_code.h"
#include "base/function_ref.h"
#include "base/result.h"

#include <boost/json/value.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace muster::command_line {
class command;
}

namespace muster::cli {

// Where the cluster is and who we are there. What is not given by flag or environment comes from
// the last login.
struct client_flags {
    std::string server;      // URL
    std::string ca;          // file
    std::string token_file;  // holds the token of a login
    std::string edit;        // an editing session: changes of common data go into its draft
};

void add_client_flags(command_line::command& command, client_flags& flags);

// The flags with their gaps filled from the last login and the defaults.
struct client_context {
    std::string server;
    std::filesystem::path ca;
    std::filesystem::path token_file;
    std::string edit = {};
};
client_context context_of(const client_flags& flags);

// Remembers server and CA beside the token, for later commands without flags.
result<void> remember_login(const client_context& where, const std::string& token);

// Forgets the token of a login, not where the cluster is. No token is no failure.
result<void> forget_login(const client_context& where);

struct api_call {
    std::string method = "GET";
    std::string path;
    std::optional<boost::json::value> body = std::nullopt;
    enum class identity { none, token } as = identity::token;
    // The same key again is the same request, also when the first answer was lost.
    std::string idempotency_key = {};
};

// What went wrong and what a script should make of it.
struct api_failure {
    exit_code code = exit_code::failed;
    std::string sentence;
    unsigned status = 0;  // of the server's answer, if there was one
};

std::expected<boost::json::value, api_failure> call_api(
    const client_context& where, const api_call& api_call);

// The same for what takes its time: `seen` is called with each report of the progress, and the last
// one is returned.
std::expected<boost::json::value, api_failure> follow_api(
    const client_context& where,
    const api_call& api_call,
    function_ref<void(const boost::json::value&)> callback);

}  // namespace muster::cli
