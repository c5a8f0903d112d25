#pragma once

#include <string>

namespace muster::sim {

// Writes a line to standard error if the thread crashes the program during its lifetime: failed
// assertion, uncaught exception, invalid memory access or sanitizer report. The line is built in
// advance, because a signal handler must not allocate.
class crash_reporter {
public:
    // Call once at the start of a program.
    static void install_handlers();

    explicit crash_reporter(std::string line);
    crash_reporter(const crash_reporter&) = delete;
    crash_reporter& operator=(const crash_reporter&) = delete;
    ~crash_reporter();

private:
    std::string line_;
};

}  // namespace muster::sim
