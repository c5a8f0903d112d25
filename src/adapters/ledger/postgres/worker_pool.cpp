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
    for (auto& each : queue_.close()) each->give_up({errc::unavailable, "the ledger is closing"});
    closing_.give();
    for (auto& thread : threads_) thread.join();
}

bool worker_pool::worth_another_try(const error& failure) {
    return failure.code() == errc::unavailable || failure.code() == errc::timed_out;
}

void worker_pool::submit(std::unique_ptr<job> job) {
    const instant now = runtime::monotonic_now();
    job->begin_until = now + job->limits.to_begin;
    job->deadline = now + job->limits.in_all;
    if (!queue_.try_push(job))
        job->give_up({errc::unavailable, "too many reads of the ledger wait"});
}

void worker_pool::run(std::size_t number) {
    std::optional<connection> through;
    backoff pauses = retry_pauses(number);
    while (!queue_.closed()) {
        if (auto next = queue_.pop(idle_wait)) perform(**next, through, pauses);
    }
}

void worker_pool::perform(job& job, std::optional<connection>& through, backoff& pauses) {
    std::optional<std::string> reason;
    while (!queue_.closed() && runtime::monotonic_now() < job.begin_until) {
        const auto failure = attempt(job, through);
        if (!failure) return pauses.reset();
        if (!reason || !failure->cut_short) reason = failure->reason.detail();
        queue_.pause(std::chrono::ceil<std::chrono::milliseconds>(pauses.next()));
    }
    job.give_up(
        {errc::unavailable, reason.value_or("a read of the ledger waited too long for its turn")});
}

std::optional<worker_pool::failed_try> worker_pool::attempt(
    job& job, std::optional<connection>& through) {
    if (!through || through->broken()) {
        through.reset();
        const instant now = runtime::monotonic_now();
        auto result = connection::open(
            options_,
            {.deadline = std::min(now + options_.attempt, job.begin_until),
             .wake = closing_.descriptor()});
        if (!result)
            return failed_try{
                .reason = result.error(), .cut_short = runtime::monotonic_now() >= job.begin_until};
        through.emplace(*std::move(result));
    }
    const instant now = runtime::monotonic_now();
    auto failure = job.attempt(*through, std::min(now + job.limits.each_try, job.deadline));
    if (!failure) return {};
    return failed_try{
        .reason = *std::move(failure), .cut_short = runtime::monotonic_now() >= job.deadline};
}

}  // namespace muster::ledger_postgres
