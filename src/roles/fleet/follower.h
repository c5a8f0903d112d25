#pragma once

#include "ports/clock.h"
#include "ports/ledger.h"
#include "roles/fleet/fleet.h"
#include "runtime/log.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace muster::fleet {

// Keeps the fleet in memory equal to the ledger's table, a moment behind it. Comes back by itself
// after the ledger was away. Lives on one strand.
class follower {
public:
    struct options {
        std::size_t page_rows = 2'000;
        std::chrono::milliseconds patience{2'000};  // looks at least this often
        // Tombstones are purged from the ledger after a day, so whoever was away longer than this
        // reads everything again.
        monotonic::duration gap_max = std::chrono::hours(12);
    };

    follower(ledger& records, fleet& kept, clock& time, runtime::logger& log, options how)
        : records_(records), kept_(kept), time_(time), log_(log), how_(how) {}

    // Until it is cancelled.
    boost::asio::awaitable<void> run();

    // Reads what is new now: all of it. For whoever has to see a write of their own, and for tests.
    async<void> catch_up();

    // Rows that could not be read. From any thread.
    std::uint64_t skipped() const { return skipped_; }

private:
    async<bool> read_page();  // whether there is more
    async<void> wait_for_news();

    ledger& records_;
    fleet& kept_;
    clock& time_;
    runtime::logger& log_;
    options how_;
    std::int64_t read_up_to_ = 0;
    std::atomic<std::uint64_t> skipped_ = 0;
    bool reading_all_ = false;
    instant current_at_{};  // when it last knew that it had read everything
};

}  // namespace muster::fleet
