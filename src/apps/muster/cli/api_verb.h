#pragma once

#include "apps/muster/cli/client.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/exit_code.h"
#include "apps/muster/cli/output.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
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
    const api_call& what,
    const std::vector<std::string>& columns);

// A name as one segment of a path, whatever is in it.
std::string path_segment(std::string_view name);

// A verb of a noun, with the flags that all have; `run` is called when it was chosen.
command_line::command* add_verb(
    command_line::command& noun,
    const std::string& name,
    const std::string& what,
    api_flags& flags,
    action& chosen,
    const std::function<exit_code()>& run);

}  // namespace muster::cli
