#pragma once

#include "core/presence/account.h"
#include "core/presence/line.h"
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

    reader(ledger& records, clock& time) : records_(records), time_(time) {}

    async<answer> read(question what) const;

private:
    struct draft {
        question what;
        std::vector<placed_chapter> chapters;
        std::vector<statement> said;
    };

    async<std::vector<chapter>> read_chapters(question* what) const;
    async<void> read_beginnings(draft* made) const;
    async<std::vector<placed_chapter>> read_eventful(draft* made) const;
    async<void> read_changes(draft* made) const;
    async<std::size_t> read_changes_of(draft* made, placed_chapter where) const;
    async<void> read_marks(draft* made) const;
    async<table::page> page_of(table::query question) const;

    ledger& records_;
    clock& time_;
};

}  // namespace muster::presence::history
