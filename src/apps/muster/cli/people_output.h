#pragma once

#include "apps/muster/cli/api_command.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <vector>

namespace muster::cli {

// Shared by the commands for users and tokens: grants as ROLE@ZONE, secrets that are shown once.

// Parses grants: "operator" is a role in the whole cluster, "operator@eu" in that zone and below.
// errc::invalid: role or zone is missing.
result<boost::json::array> read_grants(const std::vector<std::string>& texts);

// The response with its grants in the form of the command line, for tables.
boost::json::value with_grant_texts(boost::json::value response);

// The caller and their rights as a table: GET /me without the members for browsers.
std::string whoami_table(const boost::json::value& me);

// A text member of the response; empty if there is none.
std::string text_in(const boost::json::value& object, const char* name);

struct people_request {
    std::string command;  // "users add"
    api_call call;
    std::vector<std::string> columns = {};  // of a list
    // A member of the response that is shown only once, and the message about it.
    std::string shown_once = {};
    std::string message = {};
};

// Calls the API and prints the response. The message goes to standard error, so that the output
// stays valid JSON.
exit_code print_people(const api_flags& flags, const people_request& request);

}  // namespace muster::cli
