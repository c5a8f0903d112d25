#pragma once

#include "base/result.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::windows {

using std::chrono::local_seconds;
using std::chrono::seconds;
using std::chrono::sys_seconds;

// Calendars are computed up to this year; the last rule of a time zone applies afterwards.
inline constexpr int horizon_year = 2100;

// A time zone: offsets from UTC and the times at which they change. Immutable.
//
// A local time that the clocks skip uses the offset before the gap. A local time that they show
// twice means the first one (RFC 5545, 3.3.5).
class time_zone {
public:
    struct change {
        sys_seconds at;
        seconds offset;  // from `at` on; local = UTC + offset

        friend bool operator==(const change&, const change&) = default;
    };

    static std::shared_ptr<const time_zone> utc();

    // `first_offset` applies until the first change. Changes must ascend.
    time_zone(std::string name, seconds first_offset, std::vector<change> changes);

    const std::string& name() const { return name_; }
    seconds offset_at(sys_seconds time) const;
    local_seconds to_local(sys_seconds time) const;
    sys_seconds to_utc(local_seconds local) const;
    // The second UTC time of a local time that the clocks show twice.
    std::optional<sys_seconds> to_second_utc(local_seconds local) const;

private:
    std::string name_;
    seconds first_offset_;
    std::vector<change> changes_;
};

using time_zone_pointer = std::shared_ptr<const time_zone>;

// Finds a time zone by its IANA name; errc::not_found if the name is unknown.
using time_zone_source = std::function<result<time_zone_pointer>(std::string_view)>;

}  // namespace muster::windows
