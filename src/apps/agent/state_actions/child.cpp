#include "apps/agent/state_actions/child.h"

#include "apps/agent/process/child_process.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>
#include <string_view>
#include <unistd.h>
#include <vector>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX wants it declared

namespace muster::agent {
namespace {

constexpr std::chrono::milliseconds poll_interval{20};
constexpr std::size_t output_bytes_max = 500;
constexpr int final_reads_max = 4;

std::vector<std::string> build_environment(const std::map<std::string, std::string>& added) {
    std::vector<std::string> variables;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view variable(*entry);
        // Children must not notify systemd in the agent's name.
        if (!variable.starts_with("NOTIFY_SOCKET=") && !variable.starts_with("WATCHDOG_"))
            variables.emplace_back(variable);
    }
    for (const auto& [name, value] : added) variables.push_back(name + "=" + value);
    return variables;
}

result<process_options> to_process_options(const child_command& command) {
    TRY(const auto account, find_account("", ""));
    return process_options{
        .argv = {"/bin/sh", "-c", command.command},
        .environment = build_environment(command.environment),
        .directory = "/",
        .account = account,
        .umask = std::nullopt,
        .input = {}};
}

// Keeps the last output of stdout and stderr together.
bool read_output(child_process& child, std::string& output) {
    const auto written = child.read();
    output += written.output + written.error;
    if (output.size() > output_bytes_max) output.erase(0, output.size() - output_bytes_max);
    return !written.empty();
}

result<void> to_result(const child_command& command, std::string output, int status) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    const auto ending = WIFEXITED(status) ? fmt::format("exit code {}", WEXITSTATUS(status))
                                          : fmt::format("signal {}", WTERMSIG(status));
    while (output.ends_with('\n')) output.pop_back();
    return fail(
        errc::unavailable,
        fmt::format("`{}`: {}{}{}", command.command, ending, output.empty() ? "" : ": ", output));
}

}  // namespace

// Polls: commands are rare, and SIGCHLD would be shared state.
async<void> run_child(muster::clock& clock, child_command command) {
    CO_TRY(const auto options, to_process_options(command));
    CO_TRY(const auto child, child_process::start(options));
    const auto deadline = clock.now() + command.limit;
    std::string output;
    while (clock.now() < deadline) {
        read_output(*child, output);
        // Kills the rest of its group, which nobody would watch.
        if (const auto status = child->poll_end(true)) {
            for (int reads = final_reads_max; reads > 0 && read_output(*child, output); --reads) {}
            co_return to_result(command, output, *status);
        }
        CO_CHECK_OK(co_await clock.sleep_for(poll_interval));
    }
    co_return fail(
        errc::timed_out, fmt::format("`{}`: killed after command_timeout", command.command));
}

}  // namespace muster::agent
