#include "tests/harness/process.h"

#include "base/assert.h"
#include "runtime/clock.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <grp.h>
#include <pwd.h>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <unistd.h>

namespace muster::harness {
namespace {

using namespace std::chrono_literals;

struct identity {
    uid_t user = 0;
    gid_t group = 0;
};

std::optional<identity> identity_for(const std::string& user) {
    if (user.empty() || ::geteuid() != 0) return std::nullopt;
    const passwd* passwd = ::getpwnam(user.c_str());  // NOLINT(concurrency-mt-unsafe)
    if (passwd == nullptr) throw std::runtime_error("no user " + user);
    return identity{passwd->pw_uid, passwd->pw_gid};
}

[[noreturn]] void become(
    const command& command, const std::optional<identity>& identity, char* const* argv) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int out = ::open(command.output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (out >= 0) {
        ::dup2(out, STDOUT_FILENO);
        ::dup2(out, STDERR_FILENO);
    }
    if (identity) {
        const bool changed = ::setgroups(0, nullptr) == 0 && ::setgid(identity->group) == 0
                             && ::setuid(identity->user) == 0;
        if (!changed) ::_exit(126);
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // changing the user clears it
    }
    for (const auto& [name, value] : command.environment)
        ::setenv(name.c_str(), value.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
    ::execvp(argv[0], argv);
    ::_exit(127);
}

// A check that starts a program competes with what it waits for, so the pause is longer then.
std::chrono::nanoseconds pause_after(std::chrono::nanoseconds check_time) {
    return std::clamp<std::chrono::nanoseconds>(3 * check_time, 20ms, 200ms);
}

std::string tail_of(const std::filesystem::path& log) {
    std::ifstream file(log);
    std::stringstream content;
    content << file.rdbuf();
    const std::string text = content.str();
    return text.size() > 2000 ? text.substr(text.size() - 2000) : text;
}

}  // namespace

process::process(command command) {
    MUSTER_ASSERT(!command.argv.empty());
    const auto user_identity = identity_for(command.user);
    std::vector<char*> argv;
    for (auto& argument : command.argv) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("cannot fork");
    if (pid_ == 0) become(command, user_identity, argv.data());
}

process::~process() {
    kill();
}

bool process::reap(bool block) {
    if (exit_code_) return true;
    int status = 0;
    if (::waitpid(pid_, &status, block ? 0 : WNOHANG) != pid_) return false;
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return true;
}

bool process::running() {
    return !reap(false);
}

void process::send_signal(int number) const {
    if (!exit_code_) ::kill(pid_, number);
}

void process::kill() {
    send_signal(SIGKILL);
    reap(true);
}

std::optional<int> process::wait(std::chrono::seconds timeout) {
    for (auto waited = 0ms; waited < timeout; waited += 10ms) {
        if (reap(false)) return exit_code_;
        std::this_thread::sleep_for(10ms);
    }
    return std::nullopt;
}

int process::stop(std::chrono::seconds timeout) {
    send_signal(SIGTERM);
    if (!wait(timeout)) kill();
    return *exit_code_;
}

void eventually(
    const std::string& text,
    const std::function<bool()>& holds,
    std::chrono::seconds timeout,
    const std::filesystem::path& log) {
    std::chrono::nanoseconds waited{};
    while (waited < timeout) {
        const auto start = runtime::monotonic_now();
        if (holds()) return;
        const auto pause = pause_after(runtime::monotonic_now() - start);
        std::this_thread::sleep_for(pause);
        waited += pause;
    }
    throw std::runtime_error(
        "waited in vain for: " + text + (log.empty() ? "" : "\n" + tail_of(log)));
}

bool listening(std::uint16_t port) {
    const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool answered =
        ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
    ::close(probe);
    return answered;
}

}  // namespace muster::harness
