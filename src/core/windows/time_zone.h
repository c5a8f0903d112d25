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

// Calendars are computed up to here; a zone's last rule holds afterwards.
inline constexpr int horizon_year = 2100;

// What the clocks of a place show: offsets from UTC and the moments they change, as plain data.
//
// A local time that the clocks skip is read with the offset from before the gap, and one that they
// show twice is the first of the two (RFC 5545, 3.3.5). Immutable.
class time_zone {
public:
    struct change {
        sys_seconds at;
        seconds offset;  // from `at` on; local = UTC + offset

        friend bool operator==(const change&, const change&) = default;
    };

    static std::shared_ptr<const time_zone> utc();

    // `before` holds until the first change. Changes must ascend.
    time_zone(std::string name, seconds before, std::vector<change> changes);

    const std::string& name() const { return name_; }
    seconds offset_at(sys_seconds when) const;
    local_seconds local_of(sys_seconds when) const;
    sys_seconds utc_of(local_seconds local_seconds) const;
    // The second of the two, if the clocks show it twice.
    std::optional<sys_seconds> second_utc_of(local_seconds local_seconds) const;

private:
    std::string name_;
    seconds before_;
    std::vector<change> changes_;
};

using zone_pointer = std::shared_ptr<const time_zone>;

// Finds a zone by its IANA name: errc::not_found when there is none of this name.
using zone_source = std::function<result<zone_pointer>(std::string_view)>;

}  // namespace muster::windows
