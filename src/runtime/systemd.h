#pragma once

#include "base/time.h"

#include <optional>
#include <string>

// What systemd is told (Type=notify). Each does nothing when systemd did not start us.
namespace muster::runtime::systemd {

void ready(const std::string& status);
void stopping(const std::string& status);
void status(const std::string& sentence);
void reloading();
void alive();  // the watchdog is fed

// How often it must be fed (half of WatchdogSec); nothing when the unit has no watchdog.
std::optional<monotonic::duration> watchdog_interval();

}  // namespace muster::runtime::systemd
