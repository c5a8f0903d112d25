#pragma once

#include "apps/muster/cli/client.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/exit_code.h"
#include "apps/muster/cli/output.h"

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace muster::cli {

// What the verbs of a noun share: where the cluster is, and how to print.
struct api_flags {
    client_flags client;
    output_format format = output_format::table;
};

// Calls the API and prints its answer: `items` as a table with these columns, an object one line a
// member. A failure is told as "muster COMMAND: sentence".
exit_code print_answer(
    const std::string& command,
    const api_flags& flags,
    const api_call& api_call,
    const std::vector<std::string>& columns);

// A name as one segment of a path, whatever is in it.
std::string path_segment(std::string_view name);

// Says "muster COMMAND: sentence" on standard error, and gives the code back.
exit_code complain(const std::string& command, const api_failure& why);

// Says something on standard error that belongs behind what was printed so far.
void hint(const std::string& sentence);

// A verb of a noun, with the flags that all have; `run` is called when it was chosen.
command_line::command* add_verb(
    command_line::command& noun,
    const std::string& name,
    const std::string& text,
    api_flags& flags,
    action& chosen,
    const action& run);

// "Example:" and the line, below the help.
void add_example(command_line::command& verb, const char* line);

// The same, as data: Flags is the noun's, with its api_flags as `api`.
template <class Flags>
struct verb_of {
    const char* name;
    const char* what;
    exit_code (*run)(const Flags&);
    const char* example;  // one line; nullptr: the noun's examples do
};

template <class Flags>
command_line::command* add_verb_of(
    command_line::command& noun,
    const std::shared_ptr<Flags>& flags,
    action& chosen,
    const std::type_identity_t<verb_of<Flags>>& desired) {
    auto* verb =
        add_verb(noun, desired.name, desired.what, flags->api, chosen, [flags, run = desired.run] {
            return run(*flags);
        });
    add_example(*verb, desired.example);
    return verb;
}

// A noun that lists when it stands alone, and its verb `list`, which does the same.
struct listing_noun {
    command_line::command* noun;
    command_line::command* list;
};

struct noun_words {
    const char* name;
    const char* what;
    const char* examples;
};

listing_noun add_listing_noun(
    command_line::command& root,
    const noun_words& words,
    api_flags& flags,
    action& chosen,
    const action& list);

}  // namespace muster::cli
