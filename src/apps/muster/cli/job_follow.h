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
    enum class return_filter { all, exceptions } show = return_filter::all;
    // On a terminal, equal outputs are shown once at the end; `each` shows all as they arrive.
    bool each = false;
    std::string timeout;  // "10m": then the job goes on without us; empty: until it ends
};

// Shows a job until it ends: returns on standard output (one JSON object a line with json),
// progress on the terminal, a summary at the end. Resumes after a lost connection without losing or
// repeating returns. The exit code is 1 if some systems failed, 5 if not all answered.
exit_code follow_job(const client_context& context, const follow_options& options);

}  // namespace muster::cli
