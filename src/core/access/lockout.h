#pragma once

#include "base/time.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace muster::access {

// Lockout after failed logins: none before `failures_max` in a row, then `first`, doubled with each
// further failure up to `longest`. A success, or `forgotten_after` without a failure, ends the row.
struct lockout_limits {
    std::uint32_t failures_max = 10;
    std::chrono::seconds first = std::chrono::minutes(1);
    std::chrono::seconds longest = std::chrono::hours(1);
    std::chrono::seconds forgotten_after = std::chrono::hours(24);
};

struct failed_logins {
    std::uint32_t count = 0;  // in a row
    wall_time last = {};

    friend bool operator==(const failed_logins&, const failed_logins&) = default;
};

failed_logins after_failure(
    const failed_logins& before, wall_time now, const lockout_limits& bounds);

// Remaining lockout; nothing: a login is allowed now. At most `longest`, even if the clock was set
// back.
std::optional<std::chrono::microseconds> locked_for(
    const failed_logins& failures, wall_time now, const lockout_limits& bounds);

// Failed logins of unknown user names. They are locked like users, so that a lockout does not
// reveal which users exist. Bounded: keeps the newest. Not thread-safe.
class unknown_user_lockouts {
public:
    static constexpr std::size_t remembered_max = 10'000;

    explicit unknown_user_lockouts(lockout_limits bounds) : bounds_(bounds) {}

    std::optional<std::chrono::microseconds> locked_for(
        const std::string& name, wall_time now) const;
    void failed(const std::string& name, wall_time now);

    std::size_t remembered() const { return failures_.size(); }

private:
    lockout_limits bounds_;
    std::map<std::string, failed_logins> failures_;
    std::set<std::pair<wall_time, std::string>> by_time_;
};

}  // namespace muster::access
