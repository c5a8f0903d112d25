#pragma once

#include "ports/clock.h"
#include "ports/ledger.h"
#include "runtime/following/table_follower.h"
#include "runtime/log.h"
#include "services/fleet/system_cache.h"
#include "services/fleet/system_row.h"

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace muster::fleet {

// Keeps the fleet in memory equal to the ledger's table, a moment behind it. Comes back by itself
// after the ledger was away. Lives on one strand.
class system_follower {
public:
    struct options {
        std::size_t page_rows = 2'000;
        std::chrono::milliseconds timeout{2'000};  // looks at least this often
        // Tombstones are purged from the ledger after a day, so whoever was away longer than this
        // reads everything again.
        monotonic::duration gap_max = std::chrono::hours(12);
    };

    system_follower(
        muster::ledger& ledger,
        system_cache& system_cache,
        muster::clock& clock,
        runtime::logger& log,
        options options);
    system_follower(const system_follower&) = delete;
    system_follower& operator=(const system_follower&) = delete;

    // Until it is cancelled.
    boost::asio::awaitable<void> run() {
        return rows_.run([this] { return catch_up(); });
    }

    // Reads what is new now: all of it. For whoever has to see a write of their own, and for tests.
    async<void> catch_up();

    // Rows that could not be read. From any thread.
    std::uint64_t skipped() const { return rows_.rows().unreadable(); }
    void export_to(runtime::metrics& to) const { rows_.rows().export_to(to); }

private:
    void apply(std::vector<stored_system> rows);

    system_cache& kept_;
    muster::clock& clock_;
    runtime::logger& log_;
    monotonic::duration gap_max_;
    bool reading_all_ = false;
    instant current_at_{};  // when it last knew that it had read everything
    runtime::table_follower<stored_system> rows_;
};

}  // namespace muster::fleet
