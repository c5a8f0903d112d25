#pragma once

#include "apps/agent/process/account.h"
#include "base/result.h"

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::agent {

struct process_options {
    std::vector<std::string> argv;         // the program's path first
    std::vector<std::string> environment;  // NAME=VALUE
    std::string directory = "/";
    account as;
    std::optional<mode_t> umask;
    std::string input;  // what it reads from its standard input
};

// What a program wrote to its standard output and its standard error.
struct process_output {
    std::string output;
    std::string error;

    bool empty() const { return output.empty() && error.empty(); }
};

// A program in a session of its own. Its output is read without waiting. When this object goes,
// everything in its process group is killed and reaped.
class child_process {
public:
    // errc::invalid when the program or the directory is not there, errc::unavailable when the
    // machine has no room for one more process.
    static result<std::unique_ptr<child_process>> start(const process_options& options);

    child_process(const child_process&) = delete;
    child_process& operator=(const child_process&) = delete;
    ~child_process();

    // What it has written since, up to a limit; empty: nothing now.
    process_output read();
    // Its wait status once it has ended; `with_group`: whatever it left in its group is killed.
    std::optional<int> ended(bool with_group);
    void signal_group(int number) const;
    pid_t pid() const { return pid_; }

private:
    child_process() = default;

    pid_t pid_ = -1;
    int output_ = -1;
    int error_ = -1;
};

}  // namespace muster::agent
