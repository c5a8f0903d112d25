#pragma once

#include "core/events/event_filter.h"
#include "core/events/event_position.h"
#include "core/events/event_row.h"
#include "ports/clock.h"
#include "ports/ledger.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace muster::events {

// What happened, as the ledger has it: events from their own table, returns from the tasks' rows.
// Readers come with a position and go with the next one; the log knows none of them, so a slow one
// slows nobody. Thread-safe.
class event_log {
public:
    event_log(muster::ledger& ledger, muster::clock& clock) : ledger_(ledger), clock_(clock) {}

    // All or none. One that is on record already stays as it is. errc::timed_out: it may have
    // happened; write them again.
    async<void> write(std::vector<event_record> events);

    struct item {
        event_record event;
        event_position at;  // where a reader goes on who has seen this one

        friend bool operator==(const item&, const item&) = default;
    };
    struct page {
        std::vector<item> items;
        event_position next;
        bool more = false;  // at once; otherwise wait
    };

    // What comes after a position, at most `limit`; a page may be empty and yet there is more.
    // Whoever reads page by page sees each event and the last state of each task that ended, once.
    // Returns come before events that were written after them, so a job's end comes after its
    // returns. errc::invalid for a position of another ledger.
    async<page> read(event_filter event_filter, event_position after, std::size_t limit);

    // From the newest back. A position means here: all up to it is still to be told, so that
    // end() is where to begin, and the page's `next` where to go on; `oldest` and what is before it
    // is not told. Events and returns each come in the opposite order of their writing, and among
    // each other by their times. What is written meanwhile is not told; a task that changes
    // meanwhile moves ahead of the position and is not told again.
    struct past {
        event_position before;
        event_position oldest = {};
    };
    async<page> read_back(event_filter event_filter, past where, std::size_t limit);

    // errc::invalid for a position that nobody can go on from: of another ledger.
    async<void> check(event_position where);

    // Behind everything there is now.
    async<event_position> end();
    // Before what was written at that time or later, as far as servers' clocks agree.
    async<event_position> position_at(wall_time when);

    // Until there may be something for the filter behind a position, at most `timeout`.
    async<void> wait(
        event_filter event_filter, event_position after, std::chrono::milliseconds timeout);

    muster::clock& clock() { return clock_; }

private:
    struct part {
        std::vector<item> items;
        std::int64_t next = 0;
        bool more = false;
    };
    static page merged_back(part events, part returns, event_position before, std::size_t limit);
    async<std::int64_t> last_of(std::string table, std::int64_t existing);
    async<event_position> end_behind(event_position existing);
    async<event_position> checked_end(event_position event_position);
    async<part> read_events(event_filter event_filter, event_position after, std::size_t limit);
    async<part> read_returns(event_filter event_filter, event_position after, std::size_t limit);
    async<part> read_events_back(event_filter event_filter, past where, std::size_t limit);
    async<part> read_returns_back(event_filter event_filter, past where, std::size_t limit);
    async<std::int64_t> sequence_at(std::string table, wall_time when, std::int64_t last);

    ledger& ledger_;
    muster::clock& clock_;
};

// A task that ended as an event; never with what it printed.
event_record return_event(const task_record& task);

}  // namespace muster::events
