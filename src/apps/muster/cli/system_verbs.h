#pragma once

#include "apps/muster/cli/api_command.h"

#include <boost/json/object.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace muster::cli {

// What `muster keys` and `muster systems` share: lists that come in pages, and changes of many
// systems that show how far they are.

struct query_flags {
    api_flags api;
    std::vector<std::string> words;  // of the query
    std::size_t limit = 1000;        // of a list
    bool yes = false;                // do not ask
};

// A verb about the systems a query means; Flags is a query_flags with what the noun has besides.
template <class Flags>
struct query_verb {
    const char* name;
    const char* what;
    exit_code (*run)(const Flags&);
};

command_line::command* add_query_options(command_line::command* verb, query_flags& flags);

template <class Flags>
command_line::command* add_query_verb(
    command_line::command& noun,
    const std::shared_ptr<Flags>& flags,
    action& chosen,
    const std::type_identity_t<query_verb<Flags>>& desired) {
    auto* verb =
        add_verb(noun, desired.name, desired.what, flags->api, chosen, [flags, run = desired.run] {
            return run(*flags);
        });
    return add_query_options(verb, *flags);
}

struct listing {
    std::string command;             // "keys", for messages
    std::string path;                // with what stands behind the question mark, if anything
    std::vector<std::string> words;  // of the query
    std::size_t limit = 1000;
    std::vector<std::string> columns;
};

exit_code print_list(const api_flags& flags, const listing& listing);

struct bulk_request {
    std::string command;             // "keys accept"
    std::string path;                // of the API
    std::string list_path;           // where those it is about are counted
    std::vector<std::string> words;  // a query, or one fingerprint
    boost::json::object members;     // of the body, beside the targets
    bool confirmed = false;          // --yes
};

// Asks on a terminal when it is about more than one, shows progress there, prints the counts at the
// end. exit_code::failed when some systems failed.
exit_code change_many(const api_flags& flags, bulk_request bulk_request);

// The words of a query as one text: "web* and tag:db".
std::string joined(const std::vector<std::string>& words);

boost::json::array json_list(const std::vector<std::string>& items);

}  // namespace muster::cli
