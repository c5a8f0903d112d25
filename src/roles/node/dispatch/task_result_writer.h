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

// Brings tasks on record: what comes while a batch is being written goes with the next one. A task
// that comes alone is written at once; when many come, a commit gathers those of some milliseconds,
// because what it costs hardly depends on how many rows it has. A row that may or may not have been
// written is written again; rows are idempotent.
//
// Bounded: submit() says no when too much waits. Lives on one strand, but for the counters.
class task_result_writer {
public:
    struct options {
        std::size_t waiting_max = 50'000;
        std::size_t waiting_bytes_max = std::size_t{64} * 1024 * 1024;
        std::size_t behind_from = 10'000;  // so many waiting: the ledger falls behind
        std::size_t batch_rows_max = 2'000;
        std::size_t batch_bytes_max = std::size_t{4} * 1024 * 1024;
        std::size_t gather_from = 8;  // rows of a batch that tell that more are coming
        monotonic::duration gather_time = std::chrono::milliseconds(20);  // from batch to batch
        monotonic::duration retry_pause = std::chrono::milliseconds(500);
    };
    // Whether all rows of a batch are on record as they were written, or later ones of other nodes
    // in the place of some.
    enum class write_outcome { as_written, others_too };
    // Told of what was brought on record, on the strand of run().
    class listener {
    public:
        virtual ~listener() = default;

        virtual void recorded(std::vector<task_record> rows, write_outcome write_outcome) = 0;
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

    // False: too much waits; the sender has to come again. Of two records of one task the later one
    // is written.
    bool submit(task_record row);

    bool behind() const { return waiting_.size() >= options_.behind_from || failing_; }
    std::size_t waiting() const { return waiting_.size(); }
    bool failing() const { return failing_; }

    // Until it is cancelled.
    boost::asio::awaitable<void> run();

    std::uint64_t refused() const { return refused_; }
    std::uint64_t written() const { return written_; }

private:
    using task_key = std::pair<job_id, std::int64_t>;

    std::vector<task_record> take_batch();
    bool more_to_come(std::size_t written) const;
    void put_back(std::vector<task_record> batch);
    async<write_outcome> write(const std::vector<task_record>* batch);
    boost::asio::awaitable<void> write_each(std::vector<task_record> batch);

    dependencies deps_;
    options options_;
    std::map<task_key, task_record> waiting_;
    std::size_t waiting_bytes_ = 0;
    bool failing_ = false;
    runtime::async_event more_;
    std::atomic<std::uint64_t> refused_ = 0;
    std::atomic<std::uint64_t> written_ = 0;
};

}  // namespace muster::dispatch
