#pragma once

#include "base/time.h"

#include <optional>
#include <string>

// Notifications to systemd (Type=notify). They do nothing if systemd did not start this process.
namespace muster::runtime::systemd {

void notify_ready(const std::string& status);
void notify_stopping(const std::string& status);
void notify_status(const std::string& status);
void notify_reloading();
void notify_watchdog();

// Interval of notify_watchdog(): half of WatchdogSec; nothing if the unit has no watchdog.
std::optional<monotonic::duration> watchdog_interval();

}  // namespace muster::runtime::systemd
