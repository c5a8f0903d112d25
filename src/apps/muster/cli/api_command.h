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

// Flags of all API commands: the cluster's address and the output format.
struct api_flags {
    client_flags client;
    output_format format = output_format::table;
};

// Calls the API and prints the response: `items` as a table with these columns, an object with one
// line a member. Prints an error as "muster COMMAND: message".
exit_code print_response(
    const std::string& command,
    const api_flags& flags,
    const api_call& call,
    const std::vector<std::string>& columns);

// Encodes a name as one segment of a path.
std::string path_segment(std::string_view name);

// Prints "muster COMMAND: message" to standard error and returns the exit code.
exit_code print_error(const std::string& command, const api_failure& failure);

// Prints a message to standard error, after flushing standard output.
void print_hint(const std::string& message);

// Adds a verb with the flags of all API commands; `run` is the action if it is chosen.
command_line::command* add_verb(
    command_line::command& noun,
    const std::string& name,
    const std::string& text,
    api_flags& flags,
    action& chosen,
    const action& run);

// Adds "Example:" and the line below the help.
void add_example(command_line::command& verb, const char* line);

// A verb as data; Flags is the struct of the noun, with its api_flags as `api`.
template <class Flags>
struct verb_spec {
    const char* name;
    const char* text;
    exit_code (*run)(const Flags&);
    const char* example;  // one line; nullptr: the examples of the noun suffice
};

template <class Flags>
command_line::command* add_verb_spec(
    command_line::command& noun,
    const std::shared_ptr<Flags>& flags,
    action& chosen,
    const std::type_identity_t<verb_spec<Flags>>& spec) {
    auto* verb = add_verb(noun, spec.name, spec.text, flags->api, chosen, [flags, run = spec.run] {
        return run(*flags);
    });
    add_example(*verb, spec.example);
    return verb;
}

// A noun that lists by default, and its verb `list`, which does the same.
struct list_command {
    command_line::command* noun;
    command_line::command* list;
};

struct command_texts {
    const char* name;
    const char* text;
    const char* examples;
};

list_command add_list_command(
    command_line::command& root,
    const command_texts& texts,
    api_flags& flags,
    action& chosen,
    const action& list);

}  // namespace muster::cli
