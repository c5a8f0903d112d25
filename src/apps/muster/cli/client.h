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

// Address of the cluster and identity of the caller. Values without a flag or environment variable
// come from the last login.
struct client_flags {
    std::string server;      // URL
    std::string ca;          // file
    std::string token_file;  // holds the token of a login
    std::string edit;        // an edit session: changes of common data go into its draft
};

void add_client_flags(command_line::command& command, client_flags& flags);

// The flags, completed from the last login and the defaults.
struct client_context {
    std::string server;
    std::filesystem::path ca;
    std::filesystem::path token_file;
    std::string edit = {};
};
client_context resolve_context(const client_flags& flags);

// Stores server and CA beside the token, for later commands without flags.
result<void> store_login(const client_context& context, const std::string& token);

// Removes the token of a login, but keeps the address of the cluster. A missing token is no error.
result<void> remove_login(const client_context& context);

struct api_call {
    std::string method = "GET";
    std::string path;
    std::optional<boost::json::value> body = std::nullopt;
    enum class identity { none, token } auth = identity::token;
    // A request with the same key is done once, even if the first response was lost.
    std::string idempotency_key = {};
};

// An error message with the exit code for scripts.
struct api_failure {
    exit_code code = exit_code::failed;
    std::string message;
    unsigned status = 0;  // of the response, if there was one
};

std::expected<boost::json::value, api_failure> call_api(
    const client_context& context, const api_call& call);

// For operations that report progress: calls `on_report` with each report and returns the last one.
std::expected<boost::json::value, api_failure> follow_api(
    const client_context& context,
    const api_call& call,
    function_ref<void(const boost::json::value&)> on_report);

}  // namespace muster::cli
