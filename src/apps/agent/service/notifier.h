#pragma once

#include "base/time.h"

#include <optional>
#include <string>
#include <string_view>

namespace muster::agent {

// Tells systemd how we are (Type=notify), by its socket's own protocol: libsystemd cannot be linked
// into a static program. Does nothing when systemd did not start us.
class notifier {
public:
    notifier();

    void ready(std::string_view status) const;
    void status(std::string_view sentence) const;
    void stopping(std::string_view status) const;
    void alive() const;  // the watchdog is fed

    // How often it must be fed; nothing when the unit has no watchdog.
    std::optional<monotonic::duration> watchdog_interval() const { return interval_; }

private:
    void send(const std::string& state) const;

    std::string socket_;
    std::optional<monotonic::duration> interval_;
};

}  // namespace muster::agent
