#pragma once

#include "core/presence/presence_timeline.h"
#include "core/presence/timeline_input.h"
#include "ports/clock.h"
#include "ports/ledger.h"

#include <cstddef>
#include <set>
#include <vector>

namespace muster::presence::history {

// Reads where one system was. What it costs: of each node a small row and a set for every chapter
// of the time that is asked for, and the turns of those chapters in which the system came or went.
// Thread-safe.
class reader {
public:
    struct limits {
        static constexpr std::size_t chapters_max = 20'000;
        // Rows of turns; so many, and then to the end of the chapters that were begun.
        static constexpr std::size_t changes_max = 50'000;
    };
    struct question {
        system_number system;
        wall_time since;
        wall_time until;
    };
    struct answer {
        std::vector<segment> line;
        wall_time until;  // earlier than what was asked for: a limit was reached; ask on from there
    };

    reader(muster::ledger& ledger, muster::clock& clock) : ledger_(ledger), clock_(clock) {}

    async<answer> read(question question) const;

private:
    struct draft {
        question what;
        std::vector<ordered_period> chapters;
        std::vector<statement> said;
    };

    async<std::vector<chapter>> read_chapters(question* what) const;
    async<void> read_beginnings(draft* draft) const;
    async<std::vector<ordered_period>> read_eventful(draft* draft) const;
    async<void> read_changes(draft* draft) const;
    async<std::size_t> read_changes_of(draft* draft, ordered_period whose) const;
    async<void> read_marks(draft* draft) const;
    async<table::page> page_of(table::query question) const;

    ledger& ledger_;
    muster::clock& clock_;
};

}  // namespace muster::presence::history
