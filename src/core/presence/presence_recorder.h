#pragma once

#include "core/presence/history.h"
#include "core/presence/report.h"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace muster::presence::history {

// Collects the attaches and detaches of a node for the presence history. An interval is recorded as
// a few sets, one for each kind of change. If a system changes very often within an interval, only
// the last changes are recorded. Not thread-safe.
class presence_recorder {
public:
    struct options {
        node_number node;
        std::int64_t start = 0;
        std::chrono::microseconds period = period_length;
        // A machine that slept noticed nothing, so a longer interval is not recorded.
        std::chrono::microseconds interval_max = std::chrono::minutes(1);
    };

    // What to write for one interval.
    struct interval_record {
        report_period period;                      // up to the end of this interval
        std::optional<fleet::system_set> present;  // of a new period: attached at its start
        std::optional<fleet::system_set> changed;  // of a closed period: attached or detached in it
        std::vector<change> changes;
    };

    presence_recorder(options options, wall_time start);

    void record(
        std::span<const attach_event> attach_events, std::span<const detach_event> detach_events);

    interval_record end_interval(wall_time now);
    // The node shuts down: closes the period.
    interval_record stop(wall_time now);
    // The history cannot be written now: discards the events of this interval and starts a new
    // period. The time between stays unknown.
    void skip(wall_time now);

    const fleet::system_set& attached() const { return attached_; }

    static constexpr std::size_t changes_of_one_max = 8;  // within an interval
    static constexpr std::size_t ages_max = std::size_t{1}
                                            << 20U;  // beyond: all at the end of the interval

private:
    struct event {
        change_kind kind = change_kind::attached;
        session::reason why = session::reason::unknown;
        seconds at = 0;
    };

    void add_event(system_number system, event event);
    std::vector<change> pop_changes(wall_time interval_end);
    wall_time next_interval_end(wall_time now);
    void begin_period(wall_time at);

    options options_;
    fleet::system_set attached_;
    std::map<system_number, std::vector<event>> events_;  // of this interval
    report_period period_;
    bool period_recorded_ = false;  // `period_` was written
    fleet::system_set present_;     // at the start of `period_`
    fleet::system_set changed_;     // since the start of `period_`
};

}  // namespace muster::presence::history
