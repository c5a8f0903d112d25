#pragma once

#include "adapters/ledger/postgres/connection.h"
#include "adapters/ledger/postgres/shutdown_signal.h"
#include "adapters/ledger/sql/work_queue.h"
#include "base/backoff.h"
#include "ports/async.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace muster::ledger_postgres {

// The threads that read, migrate and manage partitions, each with a connection. Their work is
// idempotent, so a failed attempt is repeated until the timeout. The timeout starts at submission:
// a job that waited in the queue that long is not attempted at all, so that jobs do not wait for a
// silent server one after another. When the ledger closes, running jobs are abandoned at once.
// Thread-safe.
class worker_pool {
public:
    explicit worker_pool(const settings& settings);
    worker_pool(const worker_pool&) = delete;
    worker_pool& operator=(const worker_pool&) = delete;
    ~worker_pool();

    struct timeout {
        std::chrono::milliseconds attempt;
        std::chrono::milliseconds start;  // no try is begun later than this after asking
        std::chrono::milliseconds total;  // none goes on later than this
    };
    // For work with a liveness probe.
    static constexpr std::chrono::milliseconds without_limit = std::chrono::years(10);

    // Calls `work` with a connection and a deadline, until its result<T> is not retryable.
    // errc::unavailable when the timeout has passed, with the last known reason.
    template <class T, class Work>
    async<T> perform(Work work, timeout limits) {
        co_return co_await await_callback<T>([this, work = std::move(work), limits](
                                                 completion<T> done) mutable {
            submit(std::make_unique<typed_job<T, Work>>(limits, std::move(work), std::move(done)));
        });
    }

    limit_hits hits() const { return queue_.hits(); }

private:
    struct job {
        explicit job(timeout timeout_limits) : limits(timeout_limits) {}
        job(const job&) = delete;
        job& operator=(const job&) = delete;
        virtual ~job() = default;

        // Completes the job and returns nothing, or returns why to retry it.
        virtual std::optional<error> attempt(connection& connection, instant deadline) = 0;
        virtual void abandon(error reason) = 0;

        timeout limits;
        instant start_deadline;
        instant deadline;
    };

    template <class T, class Work>
    class typed_job final : public job {
    public:
        typed_job(timeout timeout_limits, Work work, completion<T> done)
            : job(timeout_limits), work_(std::move(work)), done_(std::move(done)) {}

        std::optional<error> attempt(connection& connection, instant deadline) override {
            result<T> outcome = work_(connection, deadline);
            if (!outcome && is_retryable(outcome.error())) return outcome.error();
            done_(std::move(outcome));
            return std::nullopt;
        }
        void abandon(error reason) override { done_(fail(std::move(reason))); }

    private:
        Work work_;
        completion<T> done_;
    };

    struct failed_attempt {
        error reason;
        bool timed_out = false;  // by the timeout: the reason tells nothing about the server
    };

    static bool is_retryable(const error& failure);

    void submit(std::unique_ptr<job> job);
    void run(std::size_t number);
    void perform(job& job, std::optional<connection>& connection, backoff& pauses);
    std::optional<failed_attempt> attempt(job& job, std::optional<connection>& connection);

    const settings& options_;
    shutdown_signal closing_;
    ledger_sql::work_queue<std::unique_ptr<job>> queue_;
    std::vector<std::thread> threads_;
};

}  // namespace muster::ledger_postgres
