#pragma once

#include "base/time.h"

#include <optional>
#include <string>
#include <string_view>

namespace muster::agent {

// Notifies systemd (Type=notify) over its socket: libsystemd cannot be linked into a static
// program. Does nothing if systemd did not start the agent.
class notifier {
public:
    notifier();

    void ready(std::string_view status) const;
    void status(std::string_view text) const;
    void stopping(std::string_view status) const;
    void alive() const;  // resets the watchdog

    // Interval of alive() calls; nullopt if the unit has no watchdog.
    std::optional<monotonic::duration> watchdog_interval() const { return interval_; }

private:
    void send(const std::string& state) const;

    std::string socket_;
    std::optional<monotonic::duration> interval_;
};

}  // namespace muster::agent
