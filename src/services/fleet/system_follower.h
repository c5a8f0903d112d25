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

// Keeps the system cache equal to the table `systems` of the ledger. It retries by itself after an
// outage of the ledger. Not thread-safe, except for skipped(); call from one strand.
class system_follower {
public:
    struct options {
        std::size_t page_rows = 2'000;
        std::chrono::milliseconds timeout{2'000};  // maximum wait between two reads
        // Erased rows leave no trace, and evicted rows are erased after a day. So a follower that
        // was away longer reads everything again.
        monotonic::duration gap_max = std::chrono::hours(12);
    };

    system_follower(
        muster::ledger& ledger,
        system_cache& systems,
        muster::clock& clock,
        runtime::logger& log,
        options options);
    system_follower(const system_follower&) = delete;
    system_follower& operator=(const system_follower&) = delete;

    // Runs until cancelled.
    boost::asio::awaitable<void> run() {
        return rows_.run([this] { return refresh(); });
    }

    // Reads all new rows. For callers that must see their own write, and for tests.
    async<void> refresh();

    // Number of unreadable rows. Thread-safe.
    std::uint64_t skipped() const { return rows_.rows().unreadable(); }
    void export_to(runtime::metrics& metrics) const { rows_.rows().export_to(metrics); }

private:
    void apply(std::vector<stored_system> rows);

    system_cache& systems_;
    muster::clock& clock_;
    runtime::logger& log_;
    monotonic::duration gap_max_;
    bool reading_all_ = false;
    std::uint64_t failures_before_ = 0;  // decode failures before the read of the whole table
    instant complete_at_{};              // start of the last complete read
    runtime::table_follower<stored_system> rows_;
};

}  // namespace muster::fleet
