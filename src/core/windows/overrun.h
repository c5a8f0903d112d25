#pragma once

#include "core/windows/window.h"

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace muster::windows {

// Work that was begun within a window and went on after it: told once a window, not as an
// error.
struct overrun {
    std::string schedule;
    window passed;
    std::string first_job;  // the first that was seen
    wall_time seen;

    // The same on every server, so that whoever inserts it first is the only one who tells it.
    std::string key() const;

    friend bool operator==(const overrun&, const overrun&) = default;
};

// Which overruns were told. Keeps the newest windows only; what is older is over long ago.
class overrun_watch {
public:
    static constexpr std::size_t remembered_max = 10'000;

    // Work of `job` that began within `within` ended, or still runs, at `at`. Gives the overrun if
    // it is one that was not given before.
    std::optional<overrun> seen(
        std::string_view schedule, const window& within, std::string_view job, wall_time at);

private:
    std::deque<std::string> told_;  // keys, oldest first
};

}  // namespace muster::windows
