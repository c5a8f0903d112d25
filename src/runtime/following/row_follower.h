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
// - A row that cannot be read is skipped, counted and logged once. The rows behind it arrive, and
//   the position moves on.
// - An outage of the ledger is logged when it begins and when it ends, not for each retry.
// - The position moves behind a page after the page was applied. A page whose application fails is
//   read again, so a row may be applied twice, but is never lost.
//
// Thread-safe, except for run(): one at a time. Refreshes may overlap, so whoever applies rows
// compares their versions.
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

    row_follower(dependencies needs, options options);
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
    // The last sequence given in the table.
    async<std::int64_t> newest();

    std::int64_t position() const;
    // Moves the position forward over rows that nobody needs.
    void skip_to(std::int64_t sequence);
    // Moves the position in either direction. A refresh that is under way starts over from there.
    void restart_at(std::int64_t sequence);

    // For a row that was found unreadable, by whoever decodes or applies it.
    void report_unreadable(std::int64_t sequence, const error& why);
    // Rows skipped since the start.
    std::uint64_t unreadable() const { return *unreadable_; }
    // muster_rows_unreadable_total, with the table's name as a label.
    void export_to(metrics& to) const;

    const std::string& table() const { return options_.table; }

    // So many unreadable rows are remembered, in order to count and log each of them once. More are
    // counted each time they are read, and not logged.
    static constexpr std::size_t unreadable_remembered_max = 100;

private:
    struct place {
        std::int64_t sequence = 0;
        std::uint64_t restarts = 0;
    };

    place current() const;
    // False if the position was moved by restart_at() meanwhile.
    bool is_current(const place& from) const;
    void advance(const place& from, std::int64_t up_to);
    async<table::page> read_page(std::int64_t behind);
    async<void> probe();
    void begin_outage(const error& why);
    void end_outage();

    dependencies needs_;
    options options_;
    bool outage_ = false;  // as run() knows
    instant outage_began_{};
    std::shared_ptr<std::atomic<std::uint64_t>> unreadable_ =
        std::make_shared<std::atomic<std::uint64_t>>(0);

    mutable std::mutex guard_;
    place at_;
    std::set<std::int64_t> reported_;  // sequences
    bool limit_logged_ = false;
};

}  // namespace muster::runtime
