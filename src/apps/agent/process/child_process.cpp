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
constexpr std::size_t reads_of_turn_max = 8;

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
    descriptor in;
    descriptor out;

    bool open() {
        std::array<int, 2> result{};
        if (::pipe2(result.data(), O_CLOEXEC) != 0) return false;
        in.reset(result[0]);
        out.reset(result[1]);
        return true;
    }
};

std::unexpected<error> cannot(std::string_view text) {
    return fail(
        errc::unavailable,
        fmt::format("cannot {}: {}", text, std::generic_category().message(errno)));
}

// As a file in memory: nobody has to feed a program that does not read.
bool fill(descriptor& input, std::string_view content) {
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

// What the new process needs, made before the fork: afterwards only calls that are safe there may
// be made.
struct preparation {
    std::vector<std::string> argv;
    std::vector<std::string> environment;
    std::vector<char*> argument_pointers;
    std::vector<char*> environment_pointers;
    descriptor input;
    pipe_ends output;
    pipe_ends error;
    pipe_ends trouble;  // carries what failed before the program ran

    bool make(const process_options& options) {
        argv = options.argv;
        environment = options.environment;
        argument_pointers = pointers_to(argv);
        environment_pointers = pointers_to(environment);
        return fill(input, options.input) && output.open() && error.open() && trouble.open();
    }
};

enum class step : int { directory, account, program };
struct trouble {
    step at = step::program;
    int code = 0;
};

bool become(const account& account) {
    if (::geteuid() != 0) return true;
    return ::setgroups(account.groups.size(), account.groups.data()) == 0
           && ::setgid(account.group) == 0 && ::setuid(account.user) == 0;
}

[[noreturn]] void give_up(int to, step at) {
    const trouble trouble{.at = at, .code = errno};
    [[maybe_unused]] const auto written = ::write(to, &trouble, sizeof trouble);
    ::_exit(127);
}

[[noreturn]] void become_program(
    const process_options& options, const preparation& preparation, pid_t agent) {
    ::setsid();
    sigset_t none;
    sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
    for (const int each : {SIGPIPE, SIGHUP, SIGINT, SIGTERM, SIGCHLD, SIGXFSZ})
        ::signal(each, SIG_DFL);
    ::dup2(preparation.input.get(), STDIN_FILENO);
    ::dup2(preparation.output.out.get(), STDOUT_FILENO);
    ::dup2(preparation.error.out.get(), STDERR_FILENO);
    if (options.umask) ::umask(*options.umask);
    if (!become(options.as)) give_up(preparation.trouble.out.get(), step::account);
    if (::chdir(options.directory.c_str()) != 0)
        give_up(preparation.trouble.out.get(), step::directory);
    // An agent that is killed must not leave a program behind that it reports as interrupted.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != agent) ::_exit(127);
    ::execve(
        preparation.argument_pointers.front(),
        preparation.argument_pointers.data(),
        preparation.environment_pointers.data());
    give_up(preparation.trouble.out.get(), step::program);
}

result<void> outcome_of(const trouble& trouble, const process_options& options) {
    const auto why = std::generic_category().message(trouble.code);
    switch (trouble.at) {
        case step::directory:
            return fail(errc::invalid, fmt::format("cwd: {}: {}", options.directory, why));
        case step::account:
            return fail(
                errc::denied, fmt::format("user: cannot become {}: {}", options.as.name, why));
        case step::program:
            break;
    }
    return fail(errc::invalid, fmt::format("cannot run {}: {}", options.argv.front(), why));
}

std::string read_available(int from) {
    std::array<char, read_bytes> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    std::string bytes;
    for (std::size_t turn = 0; turn < reads_of_turn_max; ++turn) {
        const auto size = ::read(from, buffer.data(), buffer.size());
        if (size <= 0) break;
        bytes.append(buffer.data(), static_cast<std::size_t>(size));
    }
    return bytes;
}

}  // namespace

result<std::unique_ptr<child_process>> child_process::start(const process_options& options) {
    preparation preparation;
    if (!preparation.make(options)) return cannot("prepare a process");
    std::unique_ptr<child_process> child(new child_process());
    const pid_t agent = ::getpid();
    os::close_descriptors_on_exec();
    child->pid_ = ::fork();
    if (child->pid_ < 0) return cannot("start a process");
    if (child->pid_ == 0) become_program(options, preparation, agent);
    preparation.trouble.out.reset();
    preparation.output.out.reset();
    preparation.error.out.reset();
    trouble trouble;
    // Ends when the program runs: its end of the pipe is closed by that.
    const auto size = ::read(preparation.trouble.in.get(), &trouble, sizeof trouble);
    if (size == sizeof trouble) {
        CHECK_OK(outcome_of(trouble, options));
    }
    child->output_ = preparation.output.in.release();
    child->error_ = preparation.error.in.release();
    for (const int each : {child->output_, child->error_}) ::fcntl(each, F_SETFL, O_NONBLOCK);
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

// The group is killed before its leader is reaped: until then nobody else can have its number.
std::optional<int> child_process::ended(bool with_group) {
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
