#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::harness {

struct command {
    std::vector<std::string> argv;
    std::map<std::string, std::string> environment;  // added to ours
    std::filesystem::path output;                    // stdout and stderr are appended here
    std::string user;  // run as this user when we are root and this is not empty
};

// A child process. It is killed with this object, and also when the test program ends for any
// reason.
class process {
public:
    explicit process(command command);
    process(const process&) = delete;
    process& operator=(const process&) = delete;
    ~process();

    pid_t pid() const { return pid_; }
    bool running();

    void send_signal(int number) const;
    void kill();  // SIGKILL, and waits until it is gone
    int stop(std::chrono::seconds timeout = std::chrono::seconds(10));  // SIGTERM, then SIGKILL
    std::optional<int> wait(std::chrono::seconds timeout);  // its exit code; -signal when killed

private:
    bool reap(bool block);

    pid_t pid_ = -1;
    std::optional<int> exit_code_;
};

// Polls until `holds` is true; throws with `text` and the end of `log` after the timeout. The
// timeout does not count the duration of the checks, so a slow machine has more time.
void eventually(
    const std::string& text,
    const std::function<bool()>& holds,
    std::chrono::seconds timeout = std::chrono::seconds(30),
    const std::filesystem::path& log = {});

// Whether a server accepts TCP connections on this loopback port.
bool listening(std::uint16_t port);

}  // namespace muster::harness
