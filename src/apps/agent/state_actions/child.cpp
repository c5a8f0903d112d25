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

constexpr std::chrono::milliseconds look_interval{20};
constexpr std::size_t output_bytes_max = 500;
constexpr int last_reads = 4;

std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
    std::vector<std::string> all;
    for (char** each = environ; *each != nullptr; ++each) {
        const std::string_view variable(*each);
        // Not for children: they would speak to systemd in our name.
        if (!variable.starts_with("NOTIFY_SOCKET=") && !variable.starts_with("WATCHDOG_"))
            all.emplace_back(variable);
    }
    for (const auto& [name, value] : added) all.push_back(name + "=" + value);
    return all;
}

result<process_options> order_of(const child_command& child_command) {
    TRY(const auto ourselves, find_account("", ""));
    return process_options{
        .argv = {"/bin/sh", "-c", child_command.command},
        .environment = environment_with(child_command.environment),
        .directory = "/",
        .as = ourselves,
        .umask = std::nullopt,
        .input = {}};
}

// What it said last, of both its outputs.
bool listen(child_process& to, std::string& message) {
    const auto written = to.read();
    message += written.output + written.error;
    if (message.size() > output_bytes_max) message.erase(0, message.size() - output_bytes_max);
    return !written.empty();
}

result<void> outcome_of(const child_command& child_command, std::string message, int status) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    const auto how = WIFEXITED(status) ? fmt::format("exit code {}", WEXITSTATUS(status))
                                       : fmt::format("signal {}", WTERMSIG(status));
    while (message.ends_with('\n')) message.pop_back();
    return fail(
        errc::unavailable,
        fmt::format(
            "`{}`: {}{}{}", child_command.command, how, message.empty() ? "" : ": ", message));
}

}  // namespace

// Looked at on a timer: commands are rare, and SIGCHLD would be one more thing to share.
async<void> run_child(muster::clock& clock, child_command child_command) {
    CO_TRY(const auto order, order_of(child_command));
    CO_TRY(const auto running, child_process::start(order));
    const auto deadline = clock.now() + child_command.limit;
    std::string message;
    while (clock.now() < deadline) {
        listen(*running, message);
        // What it left behind in its group would go on without anybody watching it.
        if (const auto status = running->ended(true)) {
            for (int left = last_reads; left > 0 && listen(*running, message); --left) {}
            co_return outcome_of(child_command, message, *status);
        }
        CO_CHECK_OK(co_await clock.sleep_for(look_interval));
    }
    co_return fail(
        errc::timed_out, fmt::format("`{}`: killed after its time limit", child_command.command));
}

}  // namespace muster::agent
