#pragma once

#include <chrono>

namespace muster {

// A clock without now(): the core can store and compare instants but cannot read the time.
struct monotonic {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<monotonic>;
    static constexpr bool is_steady = true;
};

using instant = monotonic::time_point;  // for intervals and deadlines

// For people, calendars and records. Microseconds, because PostgreSQL stores times so.
using wall_time = std::chrono::sys_time<std::chrono::microseconds>;

}  // namespace muster
