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

// Reads and writes events in the ledger. Events have their own table; returns are read from the
// rows of tasks. Readers keep their position themselves, so a slow reader delays no other.
// Thread-safe.
class event_log {
public:
    event_log(muster::ledger& ledger, muster::clock& clock) : ledger_(ledger), clock_(clock) {}

    // Writes all events or none. Events that exist already stay as they are. errc::timed_out: the
    // events may have been written; write them again.
    async<void> write(std::vector<event_record> events);

    struct item {
        event_record event;
        event_position at;  // the position after this event

        friend bool operator==(const item&, const item&) = default;
    };
    struct page {
        std::vector<item> items;
        event_position next;
        bool more = false;  // read on at once; otherwise wait
    };

    // Reads up to `limit` items after a position. An empty page may still have `more` set. A reader
    // of all pages gets each event once, and the last state of each ended task once. Returns come
    // before events that were written later, so a job's end follows its returns. errc::invalid for
    // a position of another ledger.
    async<page> read(event_filter filter, event_position after, std::size_t limit);

    // Reads from the newest item back. `before` is the last position to return: start with end(),
    // continue with `next` of the page. Items up to `oldest` are not returned. Events and returns
    // are each in reverse order of writing, and merged by time. Later writes are not returned; a
    // task that changes meanwhile moves ahead of the position and is not returned again.
    struct reverse_read {
        event_position before;
        event_position oldest = {};
    };
    async<page> read_back(event_filter filter, reverse_read range, std::size_t limit);

    // errc::invalid for a position of another ledger.
    async<void> check(event_position position);

    // The position after all current events.
    async<event_position> end();
    // The position before the first event written at that time or later, by the servers' clocks.
    async<event_position> position_at(wall_time time);

    // Waits until the filter may match something after a position, at most `timeout`.
    async<void> wait(event_filter filter, event_position after, std::chrono::milliseconds timeout);

    muster::clock& clock() { return clock_; }

private:
    struct part {
        std::vector<item> items;
        std::int64_t next = 0;
        bool more = false;
    };
    static page merge_back(part events, part returns, event_position before, std::size_t limit);
    async<std::int64_t> read_last(std::string table, std::int64_t known);
    async<event_position> read_end(event_position known);
    async<event_position> check_end(event_position position);
    async<part> read_events(event_filter filter, event_position after, std::size_t limit);
    async<part> read_returns(event_filter filter, event_position after, std::size_t limit);
    async<part> read_events_back(event_filter filter, reverse_read range, std::size_t limit);
    async<part> read_returns_back(event_filter filter, reverse_read range, std::size_t limit);
    async<std::int64_t> find_sequence(std::string table, wall_time time, std::int64_t last);

    ledger& ledger_;
    muster::clock& clock_;
};

// Builds the event of an ended task, without its output.
event_record return_event(const task_record& task);

}  // namespace muster::events
