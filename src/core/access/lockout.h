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

// How long a user is kept out after failed logins: not at all before `failures_max` in a row, then
// `first`, doubled with each further failure up to `longest`. A success ends the row, and so does
// `forgotten_after` without a failure.
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

// How long to wait; nothing: may try now. A clock that was set back makes nobody wait longer than
// `longest`.
std::optional<std::chrono::microseconds> locked_for(
    const failed_logins& row, wall_time now, const lockout_limits& bounds);

// The rows of names that are nobody's. They are locked as users are, so that a lock does not tell
// who is one; but only a bounded number is remembered, the latest ones.
class strangers {
public:
    static constexpr std::size_t remembered_max = 10'000;

    explicit strangers(lockout_limits bounds) : bounds_(bounds) {}

    std::optional<std::chrono::microseconds> locked_for(
        const std::string& name, wall_time now) const;
    void failed(const std::string& name, wall_time now);

    std::size_t remembered() const { return rows_.size(); }

private:
    lockout_limits bounds_;
    std::map<std::string, failed_logins> rows_;
    std::set<std::pair<wall_time, std::string>> by_last_;
};

}  // namespace muster::access
