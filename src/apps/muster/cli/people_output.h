#pragma once

#include "apps/muster/cli/api_command.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <vector>

namespace muster::cli {

// What the commands about people share: grants as ROLE@ZONE, secrets that are shown once.

// "operator" is a role in the whole cluster, "operator@eu" in that zone and all below it.
// errc::invalid: there is no role or no zone in it.
result<boost::json::array> read_grants(const std::vector<std::string>& written);

// The answer with its grants as they are written on the command line, for tables.
boost::json::value with_short_grants(boost::json::value answer);

// Who the caller is and what they may do where, for people: what GET /me says, without what only
// browsers need.
std::string whoami_table(const boost::json::value& me);

// A text that is a member of the answer; empty when there is none.
std::string text_in(const boost::json::value& object, const char* name);

struct people_request {
    std::string command;  // "users add"
    api_call call;
    std::vector<std::string> columns = {};  // of a list
    // A member of the answer that nobody will see again, and what to say then.
    std::string shown_once = {};
    std::string sentence = {};
};

// Calls the API and prints its answer; the sentence goes to standard error, so that what a program
// reads stays JSON.
exit_code print_people(const api_flags& flags, const people_request& people_request);

}  // namespace muster::cli
