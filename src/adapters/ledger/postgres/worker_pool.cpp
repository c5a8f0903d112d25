#include "adapters/ledger/postgres/worker_pool.h"

#include "adapters/ledger/postgres/retry.h"
#include "runtime/clock.h"

#include <algorithm>
#include <string>
#include <utility>

namespace muster::ledger_postgres {
namespace {

using namespace std::chrono_literals;

constexpr auto idle_wait = 1s;

}  // namespace

worker_pool::worker_pool(const settings& settings)
    : options_(settings), queue_(settings.queue_reads_max) {
    for (std::size_t number = 0; number < settings.readers; ++number)
        threads_.emplace_back([this, number] { run(number); });
}

worker_pool::~worker_pool() {
    for (auto& job : queue_.close()) job->abandon({errc::unavailable, "ledger is closing"});
    closing_.send();
    for (auto& thread : threads_) thread.join();
}

bool worker_pool::is_retryable(const error& failure) {
    return failure.code() == errc::unavailable || failure.code() == errc::timed_out;
}

void worker_pool::submit(std::unique_ptr<job> job) {
    const instant now = runtime::monotonic_now();
    job->start_deadline = now + job->limits.start;
    job->deadline = now + job->limits.total;
    if (!queue_.try_push(job)) job->abandon({errc::unavailable, "ledger read queue is full"});
}

void worker_pool::run(std::size_t number) {
    std::optional<connection> connection;
    backoff pauses = retry_pauses(number);
    while (!queue_.is_closed()) {
        if (auto job = queue_.pop(idle_wait)) perform(**job, connection, pauses);
    }
}

void worker_pool::perform(job& job, std::optional<connection>& connection, backoff& pauses) {
    std::optional<std::string> reason;
    while (!queue_.is_closed() && runtime::monotonic_now() < job.start_deadline) {
        const auto failure = attempt(job, connection);
        if (!failure) return pauses.reset();
        if (!reason || !failure->timed_out) reason = failure->reason.detail();
        queue_.pause(std::chrono::ceil<std::chrono::milliseconds>(pauses.next()));
    }
    job.abandon({errc::unavailable, reason.value_or("ledger read timed out in the queue")});
}

std::optional<worker_pool::failed_attempt> worker_pool::attempt(
    job& job, std::optional<connection>& connection) {
    if (!connection || connection->broken()) {
        connection.reset();
        const instant now = runtime::monotonic_now();
        auto opened = connection::open(
            options_,
            {.deadline = std::min(now + options_.attempt, job.start_deadline),
             .wake = closing_.descriptor()});
        if (!opened)
            return failed_attempt{
                .reason = opened.error(),
                .timed_out = runtime::monotonic_now() >= job.start_deadline};
        connection.emplace(*std::move(opened));
    }
    const instant now = runtime::monotonic_now();
    auto failure = job.attempt(*connection, std::min(now + job.limits.attempt, job.deadline));
    if (!failure) return {};
    return failed_attempt{
        .reason = *std::move(failure), .timed_out = runtime::monotonic_now() >= job.deadline};
}

}  // namespace muster::ledger_postgres
