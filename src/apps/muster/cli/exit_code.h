#pragma once

namespace muster::cli {

// Exit codes of all commands. Scripts rely on them.
enum class exit_code {
    ok = 0,
    failed = 1,       // some systems failed; for `serve`: could not start
    usage = 2,        // wrong usage, setting or expression
    denied = 3,       // not allowed
    unreachable = 4,  // the cluster does not answer
    timed_out = 5,    // timed out, or not all answered
};

}  // namespace muster::cli
