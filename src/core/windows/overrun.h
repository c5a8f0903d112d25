#pragma once

#include "core/windows/window.h"

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace muster::windows {

// Work that began within a window and continued after it. Reported once per window, as an event and
// not as an error.
struct overrun {
    std::string schedule;
    windows::window window;
    std::string first_job;  // the first job observed
    wall_time seen_at;

    // The same on every server, so that only the first insert reports the overrun.
    std::string key() const;

    friend bool operator==(const overrun&, const overrun&) = default;
};

// Reports each overrun once. Remembers only the newest windows. Not thread-safe.
class overrun_detector {
public:
    static constexpr std::size_t remembered_max = 10'000;

    // Work of `job` that began within `window` ended, or still runs, at `time`. Returns an overrun
    // that was not reported before.
    std::optional<overrun> observe(
        std::string_view schedule,
        const windows::window& window,
        std::string_view job,
        wall_time time);

private:
    std::deque<std::string> reported_;  // keys, oldest first
};

}  // namespace muster::windows
