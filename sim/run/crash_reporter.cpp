#include "sim/run/crash_reporter.h"

#include "base/assert.h"

#include <array>
#include <atomic>
#include <csignal>
#include <unistd.h>
#include <utility>

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#include <sanitizer/common_interface_defs.h>
#endif

namespace muster::sim {

namespace {

using atomic_line = std::atomic<const std::string*>;
static_assert(atomic_line::is_always_lock_free);  // or a signal handler must not touch it

atomic_line& line_of_this_thread() {
    static thread_local atomic_line line = nullptr;
    return line;
}

// Also runs in a signal handler, so it may use only write(2). Writes once, because a sanitizer may
// abort after its report.
void write_line() {
    const std::string* line = line_of_this_thread().exchange(nullptr);
    if (line == nullptr) return;
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line->data(), line->size());
}

// The thread that caused the signal gets it. With the default handler the second signal ends the
// program.
extern "C" void report_and_die(int signal) {
    write_line();
    struct sigaction by_default{};
    by_default.sa_handler = SIG_DFL;
    ::sigaction(signal, &by_default, nullptr);
    ::raise(signal);
}

}  // namespace

void crash_reporter::install_handlers() {
    for (const int signal : std::to_array({SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL})) {
        struct sigaction current{};
        ::sigaction(signal, nullptr, &current);
        if (current.sa_handler != SIG_DFL) continue;  // the handler of a sanitizer reports more
        struct sigaction replacement{};
        replacement.sa_handler = report_and_die;
        ::sigaction(signal, &replacement, nullptr);
    }
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    __sanitizer_set_death_callback(write_line);
#endif
}

crash_reporter::crash_reporter(std::string line) : line_(std::move(line) + "\n") {
    MUSTER_ASSERT(line_of_this_thread() == nullptr);
    line_of_this_thread() = &line_;
}

crash_reporter::~crash_reporter() {
    line_of_this_thread() = nullptr;
}

}  // namespace muster::sim
