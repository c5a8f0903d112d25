#pragma once

#include "core/presence/presence_timeline.h"

#include <optional>
#include <vector>

namespace muster::presence::history {

// A period in the order of its node's periods.
struct ordered_period {
    report_period period;
    bool starts = true;                 // it does not continue the period before
    bool same_start = false;            // same process as the period before
    std::optional<statement_kind> end;  // silent or stopped, if no period continues it
};

// A node counts as silent when its last record is older than this.
inline constexpr auto silence_max = std::chrono::minutes(1);

// The periods that matter from `since` on: of each node those that start later, and the one before,
// which may have ended in silence.
std::vector<report_period> periods_since(std::vector<report_period> periods, wall_time since);

// Sorts by node and time. `now` is when the history was read.
std::vector<ordered_period> order_periods(std::vector<report_period> periods, wall_time now);

// Statements about one system.
statement start_statement(const ordered_period& period, bool present);
std::optional<statement> end_statement(const ordered_period& period);
// The change is not dated before the start of its period, even if it was noticed late.
statement to_statement(const change& change, system_number system, wall_time period_opened);
statement to_statement(const missing_mark& mark);

}  // namespace muster::presence::history
