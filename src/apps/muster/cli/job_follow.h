#pragma once

#include "apps/muster/cli/client.h"
#include "apps/muster/cli/exit_code.h"
#include "apps/muster/cli/output.h"

#include <string>

namespace muster::cli {

struct follow_options {
    std::string command;  // "run", for messages
    std::string job;
    output_format format = output_format::table;
    enum class returns { all, exceptions } show = returns::all;
    std::string timeout;  // "10m": then the job goes on without us; empty: until it ends
};

// Shows a job until it has ended: returns as they come on standard output (one JSON object a line
// with json), progress on the terminal, the last line at the end. Goes on after a lost connection
// without a return lost or shown twice. What comes of it is the exit code: 1 some failed, 5 not all
// answered.
exit_code follow_job(const client_context& where, const follow_options& options);

}  // namespace muster::cli
