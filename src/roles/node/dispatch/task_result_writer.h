#pragma once

#include "core/model/job.h"
#include "ports/clock.h"
#include "ports/ledger.h"
#include "runtime/async_event.h"
#include "runtime/log.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace muster::dispatch {

// Writes task records to the ledger in batches. Rows that arrive during a write go into the next
// batch. A single row is written at once; many rows are gathered for some milliseconds, because the
// cost of a commit hardly depends on the number of rows. After an unknown outcome rows are written
// again; they are idempotent.
//
// Bounded: submit() returns false when the queue is full. Not thread-safe, except the counters;
// call from one strand.
class task_result_writer {
public:
    struct options {
        std::size_t pending_max = 50'000;
        std::size_t pending_bytes_max = std::size_t{64} * 1024 * 1024;
        std::size_t behind_min = 10'000;  // pending rows from which the ledger counts as behind
        std::size_t batch_rows_max = 2'000;
        std::size_t batch_bytes_max = std::size_t{4} * 1024 * 1024;
        std::size_t gather_min = 8;  // batch size from which more rows are expected
        monotonic::duration gather_time = std::chrono::milliseconds(20);  // between batches
        monotonic::duration retry_pause = std::chrono::milliseconds(500);
    };
    // Whether all rows were stored as written, or newer rows of other nodes replaced some.
    enum class write_outcome { as_written, partly_superseded };
    // Notified of stored rows, on the strand of run().
    class listener {
    public:
        virtual ~listener() = default;

        virtual void on_recorded(std::vector<task_record> rows, write_outcome write_outcome) = 0;
    };
    struct dependencies {
        muster::ledger& ledger;
        muster::clock& clock;
        runtime::logger& log;
        listener& listener;
    };

    task_result_writer(dependencies deps, options options) : deps_(deps), options_(options) {}
    task_result_writer(const task_result_writer&) = delete;
    task_result_writer& operator=(const task_result_writer&) = delete;

    // False: the queue is full; the sender has to repeat the report. Of two records of one task,
    // the later one is written.
    bool submit(task_record row);

    bool is_behind() const { return pending_.size() >= options_.behind_min || failing_; }
    std::size_t waiting() const { return pending_.size(); }
    bool is_failing() const { return failing_; }

    // Runs until cancelled.
    boost::asio::awaitable<void> run();

    std::uint64_t refused() const { return refused_; }
    std::uint64_t written() const { return written_; }

private:
    using task_key = std::pair<job_id, std::int64_t>;

    std::vector<task_record> pop_batch();
    bool should_gather(std::size_t written) const;
    void requeue(std::vector<task_record> batch);
    async<write_outcome> write(const std::vector<task_record>* batch);
    boost::asio::awaitable<void> write_one_by_one(std::vector<task_record> batch);

    dependencies deps_;
    options options_;
    std::map<task_key, task_record> pending_;
    std::size_t pending_bytes_ = 0;
    bool failing_ = false;
    runtime::async_event wakeup_;
    std::atomic<std::uint64_t> refused_ = 0;
    std::atomic<std::uint64_t> written_ = 0;
};

}  // namespace muster::dispatch
