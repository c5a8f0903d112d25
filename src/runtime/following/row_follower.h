#pragma once

#include "ports/clock.h"
#include "ports/ledger.h"
#include "runtime/log.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace muster::runtime {

class metrics;

// Follows one table of the ledger by its change sequence. table_follower.h is the typed part.
//
// The same policy for every table:
// - An unreadable row is skipped, counted and logged once. The rows behind it are delivered.
// - An outage of the ledger is logged when it begins and when it ends, not for each retry.
// - The position moves behind a page after the page was applied. If applying a page fails, the page
//   is read again. So a row may be applied twice, but is never lost.
//
// Thread-safe, except for run(): one at a time. Refreshes may overlap, so handlers must compare the
// versions of rows.
class row_follower {
public:
    struct dependencies {
        muster::ledger& ledger;
        muster::clock& clock;
        logger& log;
    };
    struct options {
        std::string table;
        std::size_t page_rows = 1'000;
        std::chrono::milliseconds wait_max{5'000};  // reads at least this often
        monotonic::duration retry_pause = std::chrono::seconds(1);
    };

    using page = std::vector<table::row>;
    using page_handler = std::function<async<void>(page)>;
    using step = std::function<async<void>()>;

    row_follower(dependencies deps, options options);
    row_follower(const row_follower&) = delete;
    row_follower& operator=(const row_follower&) = delete;

    // Repeats `refresh` and `wait` until it is cancelled.
    boost::asio::awaitable<void> run(step refresh, step wait);

    // Reads all rows behind the position, and moves it.
    async<void> refresh(page_handler apply);
    // Reads the whole table and leaves the position alone; returns the sequence read up to.
    async<std::int64_t> read_all(page_handler apply);
    // Waits for a row behind the position, at most `wait_max`.
    async<void> wait();
    // The last sequence of the table.
    async<std::int64_t> newest();

    std::int64_t position() const;
    // Moves the position forward, over rows that are not needed.
    void skip_to(std::int64_t sequence);
    // Moves the position in either direction. A running refresh starts over from there.
    void restart_at(std::int64_t sequence);

    // Counts and logs a row that the caller could not decode or apply.
    void report_unreadable(std::int64_t sequence, const muster::error& error);
    // Rows skipped since the start.
    std::uint64_t unreadable() const { return *unreadable_; }
    // muster_rows_unreadable_total, with the table's name as a label.
    void export_to(runtime::metrics& metrics) const;

    const std::string& table() const { return options_.table; }

    // Maximum of remembered unreadable rows: each of them is counted and logged once. Further ones
    // are counted each time they are read, and not logged.
    static constexpr std::size_t unreadable_remembered_max = 100;

private:
    struct read_position {
        std::int64_t sequence = 0;
        std::uint64_t restarts = 0;
    };

    read_position current() const;
    // False if the position was moved by restart_at() meanwhile.
    bool is_current(const read_position& start) const;
    void advance(const read_position& start, std::int64_t last_sequence);
    async<table::page> read_page(std::int64_t after);
    async<void> probe();
    void begin_outage(const muster::error& error);
    void end_outage();

    dependencies deps_;
    options options_;
    bool outage_ = false;  // as run() knows
    instant outage_began_{};
    std::shared_ptr<std::atomic<std::uint64_t>> unreadable_ =
        std::make_shared<std::atomic<std::uint64_t>>(0);

    mutable std::mutex mutex_;
    read_position position_;
    std::set<std::int64_t> reported_;  // sequences
    bool limit_logged_ = false;
};

}  // namespace muster::runtime
