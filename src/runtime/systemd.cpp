#include "runtime/systemd.h"

#include <systemd/sd-daemon.h>

#include <cstdint>

namespace muster::runtime::systemd {
namespace {

void notify(const std::string& state) {
    ::sd_notify(0, state.c_str());
}

}  // namespace

void notify_ready(const std::string& status) {
    notify("READY=1\nSTATUS=" + status);
}

void notify_stopping(const std::string& status) {
    notify("STOPPING=1\nSTATUS=" + status);
}

void notify_status(const std::string& status) {
    notify("STATUS=" + status);
}

void notify_reloading() {
    notify("RELOADING=1");
}

void notify_watchdog() {
    notify("WATCHDOG=1");
}

std::optional<monotonic::duration> watchdog_interval() {
    std::uint64_t microseconds = 0;
    if (::sd_watchdog_enabled(0, &microseconds) <= 0) return std::nullopt;
    return std::chrono::microseconds(microseconds / 2);
}

}  // namespace muster::runtime::systemd
