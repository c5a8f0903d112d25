#pragma once

#include "core/presence/history.h"
#include "core/presence/report.h"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace muster::presence::history {

// What a node writes down of its systems' comings and goings. However many come and go, a turn is a
// few sets: one for each way in which they did. Of one that comes and goes again and again within a
// turn the last changes are told.
class presence_recorder {
public:
    struct options {
        node_number node;
        std::int64_t start = 0;
        std::chrono::microseconds chapter = chapter_length;
        // A machine that slept noticed nothing: what a longer turn covers is not known.
        std::chrono::microseconds turn_max = std::chrono::minutes(1);
    };

    // What one turn brings on record.
    struct page {
        chapter now;                               // up to this turn's end
        std::optional<fleet::system_set> present;  // if it is new: who was there when it began
        std::optional<fleet::system_set> changed;  // if it ends: whoever came or went in it
        std::vector<change> changes;
    };

    presence_recorder(options own, wall_time begins);

    void note(std::span<const arrival> arrivals, std::span<const departure> departures);

    page end_turn(wall_time now);
    // The node goes down: its last word.
    page stop(wall_time now);
    // Nothing can be kept for now: what was noted since the last turn is forgotten, and the next
    // turn begins a chapter. The time between is not known.
    void skip(wall_time now);

    const fleet::system_set& here() const { return here_; }

    static constexpr std::size_t changes_of_one_max = 8;            // within a turn
    static constexpr std::size_t ages_max = std::size_t{1} << 20U;  // beyond: all at the turn's end

private:
    struct event {
        turn what = turn::came;
        session::reason why = session::reason::unknown;
        seconds at = 0;
    };

    void remember(system_number system, event event);
    std::vector<change> take_changes(wall_time at);
    wall_time later_than_before(wall_time now);
    void begin_chapter(wall_time at);

    options own_;
    fleet::system_set here_;
    std::map<system_number, std::vector<event>> noted_;  // since the last turn
    chapter now_;
    bool begun_ = false;         // `now_` is on record
    fleet::system_set present_;  // when `now_` began
    fleet::system_set changed_;  // since then
};

}  // namespace muster::presence::history
