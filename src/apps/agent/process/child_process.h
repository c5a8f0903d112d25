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
    agent::account account;
    std::optional<mode_t> umask;
    std::string input;  // content of standard input
};

// Output of a program on standard output and standard error.
struct process_output {
    std::string output;
    std::string error;

    bool empty() const { return output.empty() && error.empty(); }
};

// A program in its own session. Its output is read without waiting. The destructor kills and reaps
// its whole process group. Not thread-safe.
class child_process {
public:
    // errc::invalid if the program or the directory does not exist; errc::unavailable if the
    // machine cannot start another process.
    static result<std::unique_ptr<child_process>> start(const process_options& options);

    child_process(const child_process&) = delete;
    child_process& operator=(const child_process&) = delete;
    ~child_process();

    // New output, up to a limit; empty if there is none.
    process_output read();
    // The wait status if the program ended; `with_group` also kills the rest of its group.
    std::optional<int> poll_end(bool with_group);
    void signal_group(int number) const;
    pid_t pid() const { return pid_; }

private:
    child_process() = default;

    pid_t pid_ = -1;
    int output_ = -1;
    int error_ = -1;
};

}  // namespace muster::agent
