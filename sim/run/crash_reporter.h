#pragma once

#include <string>

namespace muster::sim {

// The line that a thread leaves on standard error when it brings the program down while this
// stands: by a broken assertion, an exception that nobody caught, an access to memory that is not
// there, or what a sanitizer found. By then nothing can be put together any more, so the line is
// made beforehand.
class crash_reporter {
public:
    // To be called once, when a program begins.
    static void say_when_dying();

    explicit crash_reporter(std::string line);
    crash_reporter(const crash_reporter&) = delete;
    crash_reporter& operator=(const crash_reporter&) = delete;
    ~crash_reporter();

private:
    std::string line_;
};

}  // namespace muster::sim
