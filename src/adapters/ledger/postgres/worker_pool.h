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

// The threads that read, migrate and look after partitions, each with a connection. What they do
// may be done twice without harm, so a try that failed is repeated until the timeout, which
// counts from the moment of asking: a request that waited for its turn that long is not tried at
// all, so that many of them do not wait for a silent server one after another. When the ledger
// closes, what is under way is given up at once.
class worker_pool {
public:
    explicit worker_pool(const settings& settings);
    worker_pool(const worker_pool&) = delete;
    worker_pool& operator=(const worker_pool&) = delete;
    ~worker_pool();

    struct timeout {
        std::chrono::milliseconds each_try;
        std::chrono::milliseconds to_begin;  // no try is begun later than this after asking
        std::chrono::milliseconds in_all;    // none goes on later than this
    };
    // Of work that is under a liveness probe.
    static constexpr std::chrono::milliseconds without_limit = std::chrono::years(10);

    // Calls `work` with a connection and a deadline, until it returns a result<T> that is not worth
    // another try. errc::unavailable when the timeout is over, with the last known reason.
    template <class T, class Work>
    async<T> perform(Work work, timeout limits) {
        co_return co_await completed<T>([this, work = std::move(work), limits](
                                            completion<T> done) mutable {
            submit(std::make_unique<typed_job<T, Work>>(limits, std::move(work), std::move(done)));
        });
    }

    limit_hits hits() const { return queue_.hits(); }

private:
    struct job {
        explicit job(timeout allowed) : limits(allowed) {}
        job(const job&) = delete;
        job& operator=(const job&) = delete;
        virtual ~job() = default;

        // Answers and returns nothing, or returns why it is to be tried again.
        virtual std::optional<error> attempt(connection& on, instant until) = 0;
        virtual void give_up(error reason) = 0;

        timeout limits;
        instant begin_until;
        instant deadline;
    };

    template <class T, class Work>
    class typed_job final : public job {
    public:
        typed_job(timeout allowed, Work work, completion<T> done)
            : job(allowed), work_(std::move(work)), done_(std::move(done)) {}

        std::optional<error> attempt(connection& on, instant until) override {
            result<T> outcome = work_(on, until);
            if (!outcome && worth_another_try(outcome.error())) return outcome.error();
            done_(std::move(outcome));
            return std::nullopt;
        }
        void give_up(error reason) override { done_(fail(std::move(reason))); }

    private:
        Work work_;
        completion<T> done_;
    };

    struct failed_try {
        error reason;
        bool cut_short = false;  // by the timeout: the reason tells nothing about the server
    };

    static bool worth_another_try(const error& failure);

    void submit(std::unique_ptr<job> job);
    void run(std::size_t number);
    void perform(job& job, std::optional<connection>& through, backoff& pauses);
    std::optional<failed_try> attempt(job& job, std::optional<connection>& through);

    const settings& options_;
    shutdown_signal closing_;
    ledger_sql::work_queue<std::unique_ptr<job>> queue_;
    std::vector<std::thread> threads_;
};

}  // namespace muster::ledger_postgres
