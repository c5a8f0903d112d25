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

using spoken_line = std::atomic<const std::string*>;
static_assert(spoken_line::is_always_lock_free);  // or a signal handler must not touch it

spoken_line& line_of_this_thread() {
    static thread_local spoken_line line = nullptr;
    return line;
}

// Also within a signal handler, so write(2) is all it may use. Once: a sanitizer that has told its
// finding may abort.
void say() {
    const std::string* line = line_of_this_thread().exchange(nullptr);
    if (line == nullptr) return;
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line->data(), line->size());
}

// These signals come to the thread that caused them. The second time the signal does its work.
extern "C" void say_and_die(int signal) {
    say();
    struct sigaction by_default{};
    by_default.sa_handler = SIG_DFL;
    ::sigaction(signal, &by_default, nullptr);
    ::raise(signal);
}

}  // namespace

void crash_reporter::say_when_dying() {
    for (const int signal : std::to_array({SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL})) {
        struct sigaction present{};
        ::sigaction(signal, nullptr, &present);
        if (present.sa_handler != SIG_DFL) continue;  // a sanitizer's: it knows more to tell
        struct sigaction ours{};
        ours.sa_handler = say_and_die;
        ::sigaction(signal, &ours, nullptr);
    }
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    __sanitizer_set_death_callback(say);
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
