#pragma once

#include "adapters/ledger/postgres/connection.h"
#include "adapters/ledger/postgres/shutdown_signal.h"
#include "adapters/ledger/sql/work_queue.h"
#include "base/backoff.h"
#include "ports/async.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace muster::ledger_postgres {

// The threads that read, migrate and look after partitions, each with a connection. What they do
// may be done twice without harm, so a try that failed is repeated until patience is over. Patience
// counts from the moment of asking: a request that waited for its turn that long is not tried at
// all, so that many of them do not wait for a silent server one after another. When the ledger
// closes, what is under way is given up at once.
class worker_pool {
public:
    explicit worker_pool(const settings& settings);
    worker_pool(const worker_pool&) = delete;
    worker_pool& operator=(const worker_pool&) = delete;
    ~worker_pool();

    template <class T>
    using work = std::function<result<T>(connection& on, instant deadline)>;

    struct patience {
        std::chrono::milliseconds each_try;
        std::chrono::milliseconds to_begin;  // no try is begun later than this after asking
        std::chrono::milliseconds in_all;    // none goes on later than this
    };
    // Of work that is under a liveness probe.
    static constexpr std::chrono::milliseconds without_limit = std::chrono::years(10);

    // errc::unavailable when patience is over, with the last known reason.
    template <class T>
    async<T> perform(work<T> what, patience limits) {
        co_return co_await completed<T>(
            [this, what = std::move(what), limits](completion<T> done) mutable {
                job job;
                job.limits = limits;
                job.attempt = [what = std::move(what), done](connection& on, instant deadline) {
                    auto outcome = what(on, deadline);
                    if (!outcome && worth_another_try(outcome.error()))
                        return std::optional<error>(outcome.error());
                    done(std::move(outcome));
                    return std::optional<error>();
                };
                job.give_up = [done](error reason) {
                    done(fail(std::move(reason)));
                };
                submit(std::move(job));
            });
    }

    limit_hits hits() const { return queue_.hits(); }

private:
    struct job {
        patience limits{};
        instant begin_until;
        instant deadline;
        // Answers and returns nothing, or returns why it is to be tried again.
        std::function<std::optional<error>(connection& on, instant deadline)> attempt;
        std::function<void(error)> give_up;
    };

    struct failed_try {
        error reason;
        bool cut_short;  // by the end of patience: the reason tells nothing about the server
    };

    static bool worth_another_try(const error& failure);

    void submit(job job);
    void run(std::size_t number);
    void perform(job& job, std::optional<connection>& through, backoff& pauses);
    std::optional<failed_try> attempt(job& job, std::optional<connection>& through);

    const settings& options_;
    shutdown_signal closing_;
    ledger_sql::work_queue<job> queue_;
    std::vector<std::thread> threads_;
};

}  // namespace muster::ledger_postgres
