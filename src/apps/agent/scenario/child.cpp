#include "apps/agent/scenario/child.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX wants it declared

namespace muster::agent {
namespace {

constexpr std::chrono::milliseconds look_interval{20};
constexpr std::size_t output_bytes_max = 500;

// A process group of its own; killed and reaped when this object goes.
class child {
public:
    explicit child(const child_command& what);
    child(const child&) = delete;
    child& operator=(const child&) = delete;
    ~child() {
        kill();
        if (output_ >= 0) ::close(output_);
    }

    bool started() const { return pid_ > 0; }
    // Its wait status once it has ended.
    std::optional<int> ended() {
        int status = 0;
        if (pid_ <= 0 || ::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
        // What it left behind in its group would go on without anybody watching it.
        ::kill(-pid_, SIGKILL);
        pid_ = -1;
        return status;
    }
    void kill() {
        if (pid_ <= 0) return;
        ::kill(-pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }
    std::string last_output() const;

private:
    int output_;
    pid_t pid_ = -1;
};

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

child::child(const child_command& what) : output_(::memfd_create("output", MFD_CLOEXEC)) {
    // Everything is made before the fork: afterwards only calls that are safe there are allowed.
    auto variables = environment_with(what.environment);
    std::vector<char*> pointers;
    for (auto& each : variables) pointers.push_back(each.data());
    pointers.push_back(nullptr);
    std::string command = what.command;
    std::array<char, 8> shell{"/bin/sh"};
    std::array<char, 3> flag{"-c"};
    std::array<char*, 4> words{shell.data(), flag.data(), command.data(), nullptr};
    sigset_t none;
    sigemptyset(&none);
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::setpgid(0, 0);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    const int nothing = ::open("/dev/null", O_RDWR);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(output_ >= 0 ? output_ : nothing, STDOUT_FILENO);
    ::dup2(output_ >= 0 ? output_ : nothing, STDERR_FILENO);
    ::execve(shell.data(), words.data(), pointers.data());
    ::_exit(127);
}

std::string child::last_output() const {
    const auto size = output_ < 0 ? 0 : ::lseek(output_, 0, SEEK_END);
    if (size <= 0) return {};
    const auto wanted = std::min(static_cast<std::size_t>(size), output_bytes_max);
    std::string text(wanted, '\0');
    const auto got = ::pread(output_, text.data(), wanted, size - static_cast<off_t>(wanted));
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

result<void> outcome_of(const child& which, const child_command& what, int status) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    const auto how = WIFEXITED(status) ? fmt::format("exit code {}", WEXITSTATUS(status))
                                       : fmt::format("signal {}", WTERMSIG(status));
    const auto said = which.last_output();
    return fail(
        errc::unavailable,
        fmt::format("`{}`: {}{}{}", what.command, how, said.empty() ? "" : ": ", said));
}

}  // namespace

// Looked at on a timer: commands are rare, and SIGCHLD would be one more thing to share.
async<void> run_child(clock& time, child_command what) {
    child running(what);
    if (!running.started())
        co_return fail(errc::unavailable, std::generic_category().message(errno));
    const auto deadline = time.now() + what.limit;
    while (time.now() < deadline) {
        if (const auto status = running.ended()) co_return outcome_of(running, what, *status);
        CO_CHECK_OK(co_await time.sleep_for(look_interval));
    }
    running.kill();
    co_return fail(errc::timed_out, fmt::format("`{}`: killed after its time limit", what.command));
}

}  // namespace muster::agent
