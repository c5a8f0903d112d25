#include "apps/agent/process/child_process.h"

#include "adapters/os/descriptors.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <grp.h>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace muster::agent {
namespace {

constexpr std::size_t read_bytes = std::size_t{64} * 1024;
constexpr std::size_t reads_per_call_max = 8;

class descriptor {
public:
    explicit descriptor(int number = -1) : number_(number) {}
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    ~descriptor() { reset(); }

    void reset(int number = -1) {
        if (number_ >= 0) ::close(number_);
        number_ = number;
    }
    int release() { return std::exchange(number_, -1); }
    int get() const { return number_; }

private:
    int number_;
};

struct pipe_ends {
    descriptor read_end;
    descriptor write_end;

    bool open() {
        std::array<int, 2> descriptors{};
        if (::pipe2(descriptors.data(), O_CLOEXEC) != 0) return false;
        read_end.reset(descriptors[0]);
        write_end.reset(descriptors[1]);
        return true;
    }
};

std::unexpected<error> cannot(std::string_view action) {
    return fail(
        errc::unavailable,
        fmt::format("cannot {}: {}", action, std::generic_category().message(errno)));
}

// Uses a file in memory, so that nobody has to feed a program that does not read.
bool open_input(descriptor& input, std::string_view content) {
    if (content.empty()) {
        input.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
        return input.get() >= 0;
    }
    input.reset(::memfd_create("input", MFD_CLOEXEC));
    while (input.get() >= 0 && !content.empty()) {
        const auto written = ::write(input.get(), content.data(), content.size());
        if (written <= 0) return false;
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return input.get() >= 0 && ::lseek(input.get(), 0, SEEK_SET) == 0;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (auto& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

// Prepared before the fork, because only async-signal-safe calls are allowed after it.
struct child_setup {
    std::vector<std::string> argv;
    std::vector<std::string> environment;
    std::vector<char*> argument_pointers;
    std::vector<char*> environment_pointers;
    descriptor input;
    pipe_ends output;
    pipe_ends error;
    pipe_ends failure;  // reports what failed before the program ran

    bool prepare(const process_options& options) {
        argv = options.argv;
        environment = options.environment;
        argument_pointers = pointers_to(argv);
        environment_pointers = pointers_to(environment);
        return open_input(input, options.input) && output.open() && error.open() && failure.open();
    }
};

enum class setup_step : int { directory, account, program };
struct start_failure {
    setup_step step = setup_step::program;
    int code = 0;
};

bool switch_account(const account& account) {
    if (::geteuid() != 0) return true;
    return ::setgroups(account.groups.size(), account.groups.data()) == 0
           && ::setgid(account.group) == 0 && ::setuid(account.user) == 0;
}

[[noreturn]] void exit_with_failure(int descriptor, setup_step step) {
    const start_failure failure{.step = step, .code = errno};
    [[maybe_unused]] const auto written = ::write(descriptor, &failure, sizeof failure);
    ::_exit(127);
}

[[noreturn]] void execute_program(
    const process_options& options, const child_setup& setup, pid_t agent) {
    ::setsid();
    sigset_t none;
    sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
    for (const int signal : {SIGPIPE, SIGHUP, SIGINT, SIGTERM, SIGCHLD, SIGXFSZ})
        ::signal(signal, SIG_DFL);
    ::dup2(setup.input.get(), STDIN_FILENO);
    ::dup2(setup.output.write_end.get(), STDOUT_FILENO);
    ::dup2(setup.error.write_end.get(), STDERR_FILENO);
    if (options.umask) ::umask(*options.umask);
    if (!switch_account(options.account))
        exit_with_failure(setup.failure.write_end.get(), setup_step::account);
    if (::chdir(options.directory.c_str()) != 0)
        exit_with_failure(setup.failure.write_end.get(), setup_step::directory);
    // If the agent is killed, its programs must not keep running.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != agent) ::_exit(127);
    ::execve(
        setup.argument_pointers.front(),
        setup.argument_pointers.data(),
        setup.environment_pointers.data());
    exit_with_failure(setup.failure.write_end.get(), setup_step::program);
}

result<void> to_error(const start_failure& failure, const process_options& options) {
    const auto reason = std::generic_category().message(failure.code);
    switch (failure.step) {
        case setup_step::directory:
            return fail(errc::invalid, fmt::format("cwd: {}: {}", options.directory, reason));
        case setup_step::account:
            return fail(
                errc::denied,
                fmt::format(
                    "user: cannot switch to user \"{}\": {}", options.account.name, reason));
        case setup_step::program:
            break;
    }
    return fail(errc::invalid, fmt::format("cannot run {}: {}", options.argv.front(), reason));
}

std::string read_available(int descriptor) {
    std::array<char, read_bytes> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    std::string bytes;
    for (std::size_t turn = 0; turn < reads_per_call_max; ++turn) {
        const auto size = ::read(descriptor, buffer.data(), buffer.size());
        if (size <= 0) break;
        bytes.append(buffer.data(), static_cast<std::size_t>(size));
    }
    return bytes;
}

}  // namespace

result<std::unique_ptr<child_process>> child_process::start(const process_options& options) {
    child_setup setup;
    if (!setup.prepare(options)) return cannot("prepare a process");
    std::unique_ptr<child_process> child(new child_process());
    const pid_t agent = ::getpid();
    os::close_descriptors_on_exec();
    child->pid_ = ::fork();
    if (child->pid_ < 0) return cannot("start a process");
    if (child->pid_ == 0) execute_program(options, setup, agent);
    setup.failure.write_end.reset();
    setup.output.write_end.reset();
    setup.error.write_end.reset();
    start_failure failure;
    // Returns when the program runs, because exec closes the other end of the pipe.
    const auto size = ::read(setup.failure.read_end.get(), &failure, sizeof failure);
    if (size == sizeof failure) {
        CHECK_OK(to_error(failure, options));
    }
    child->output_ = setup.output.read_end.release();
    child->error_ = setup.error.read_end.release();
    for (const int descriptor_number : {child->output_, child->error_})
        ::fcntl(descriptor_number, F_SETFL, O_NONBLOCK);
    return child;
}

child_process::~child_process() {
    if (pid_ > 0) {
        signal_group(SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    if (output_ >= 0) ::close(output_);
    if (error_ >= 0) ::close(error_);
}

process_output child_process::read() {
    return {.output = read_available(output_), .error = read_available(error_)};
}

// Kills the group before its leader is reaped: until then the number cannot be reused.
std::optional<int> child_process::poll_end(bool with_group) {
    siginfo_t siginfo{};
    if (pid_ <= 0
        || ::waitid(P_PID, static_cast<id_t>(pid_), &siginfo, WEXITED | WNOHANG | WNOWAIT) != 0)
        return std::nullopt;
    if (siginfo.si_pid != pid_) return std::nullopt;
    if (with_group) signal_group(SIGKILL);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
}

void child_process::signal_group(int number) const {
    if (pid_ > 0) ::kill(-pid_, number);
}

}  // namespace muster::agent
