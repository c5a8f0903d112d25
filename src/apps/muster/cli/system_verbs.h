#pragma once

#include "apps/muster/cli/api_command.h"

#include <boost/json/object.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace muster::cli {

// Shared by `muster keys` and `muster systems`: paged lists, and changes of many systems with
// progress.

struct query_flags {
    api_flags api;
    std::vector<std::string> words;  // of the query
    std::size_t limit = 1000;        // of a list
    bool yes = false;                // do not ask
};

// A verb for the systems of a query; Flags is a query_flags with the flags of the noun.
template <class Flags>
struct query_verb {
    const char* name;
    const char* text;
    exit_code (*run)(const Flags&);
};

command_line::command* add_query_options(command_line::command* verb, query_flags& flags);

template <class Flags>
command_line::command* add_query_verb(
    command_line::command& noun,
    const std::shared_ptr<Flags>& flags,
    action& chosen,
    const std::type_identity_t<query_verb<Flags>>& spec) {
    auto* verb = add_verb(noun, spec.name, spec.text, flags->api, chosen, [flags, run = spec.run] {
        return run(*flags);
    });
    return add_query_options(verb, *flags);
}

struct list_request {
    std::string command;             // "keys", for messages
    std::string path;                // may contain a query string
    std::vector<std::string> words;  // of the query
    std::size_t limit = 1000;
    std::vector<std::string> columns;
    void (*prepare)(boost::json::object& row) = nullptr;  // of a table, before it is shown
};

exit_code print_list(const api_flags& flags, const list_request& request);

struct bulk_request {
    std::string command;             // "keys accept"
    std::string path;                // of the API
    std::string list_path;           // the list of its systems, for counting
    std::vector<std::string> words;  // a query, or one fingerprint
    boost::json::object members;     // of the body, beside the targets
    bool confirmed = false;          // --yes
};

// Asks for confirmation if the change affects more than one system, shows progress, prints the
// counts. exit_code::failed if some systems failed.
exit_code run_bulk_change(const api_flags& flags, bulk_request request);

// Joins the words of a query: "web* and tag:db".
std::string join_words(const std::vector<std::string>& words);

boost::json::array json_list(const std::vector<std::string>& items);

}  // namespace muster::cli
