#pragma once

#include "core/presence/presence_timeline.h"
#include "core/presence/timeline_input.h"
#include "ports/clock.h"
#include "ports/ledger.h"

#include <cstddef>
#include <set>
#include <vector>

namespace muster::presence::history {

// Reads the presence history of one system. The cost: per node a small row and a set for every
// report period in the time range, and the changes of the periods in which the system attached or
// detached. Thread-safe.
class reader {
public:
    struct limits {
        static constexpr std::size_t periods_max = 20'000;
        // Maximum of change rows; started periods are read to their end.
        static constexpr std::size_t changes_max = 50'000;
    };
    struct history_request {
        system_number system;
        wall_time since;
        wall_time until;
    };
    struct history_page {
        std::vector<segment> segments;
        wall_time until;  // earlier than requested when a limit was reached; continue from there
    };

    reader(muster::ledger& ledger, muster::clock& clock) : ledger_(ledger), clock_(clock) {}

    async<history_page> read(history_request request) const;

private:
    struct reading {
        history_request request;
        std::vector<ordered_period> periods;
        std::vector<statement> statements;
    };

    async<std::vector<report_period>> read_periods(history_request* request) const;
    async<void> read_initial_states(reading* reading) const;
    async<std::vector<ordered_period>> find_changed_periods(reading* reading) const;
    async<void> read_changes(reading* reading) const;
    async<std::size_t> read_changes_of(reading* reading, ordered_period period) const;
    async<void> read_marks(reading* reading) const;
    async<table::page> read_page(table::query query) const;

    ledger& ledger_;
    muster::clock& clock_;
};

}  // namespace muster::presence::history
