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

worker_pool::worker_pool(const settings& how) : how_(how), queue_(how.queue_reads_max) {
    for (std::size_t number = 0; number < how.readers; ++number)
        threads_.emplace_back([this, number] { run(number); });
}

worker_pool::~worker_pool() {
    for (auto& each : queue_.close()) each.give_up({errc::unavailable, "the ledger is closing"});
    closing_.give();
    for (auto& each : threads_) each.join();
}

bool worker_pool::worth_another_try(const error& failure) {
    return failure.code() == errc::unavailable || failure.code() == errc::timed_out;
}

void worker_pool::submit(job what) {
    const instant now = runtime::monotonic_now();
    what.begin_until = now + what.limits.to_begin;
    what.deadline = now + what.limits.in_all;
    if (!queue_.try_push(what))
        what.give_up({errc::unavailable, "too many reads of the ledger wait"});
}

void worker_pool::run(std::size_t number) {
    std::optional<connection> through;
    backoff pauses = retry_pauses(number);
    while (!queue_.closed()) {
        if (auto next = queue_.pop(idle_wait)) perform(*next, through, pauses);
    }
}

void worker_pool::perform(job& what, std::optional<connection>& through, backoff& pauses) {
    std::optional<std::string> reason;
    while (!queue_.closed() && runtime::monotonic_now() < what.begin_until) {
        const auto failure = attempt(what, through);
        if (!failure) return pauses.reset();
        if (!reason || !failure->cut_short) reason = failure->reason.detail();
        queue_.pause(std::chrono::ceil<std::chrono::milliseconds>(pauses.next()));
    }
    what.give_up(
        {errc::unavailable, reason.value_or("a read of the ledger waited too long for its turn")});
}

std::optional<worker_pool::failed_try> worker_pool::attempt(
    job& what, std::optional<connection>& through) {
    if (!through || through->broken()) {
        through.reset();
        const instant now = runtime::monotonic_now();
        auto made = connection::open(
            how_,
            {.deadline = std::min(now + how_.attempt, what.begin_until),
             .wake = closing_.descriptor()});
        if (!made)
            return failed_try{
                .reason = made.error(), .cut_short = runtime::monotonic_now() >= what.begin_until};
        through.emplace(*std::move(made));
    }
    const instant now = runtime::monotonic_now();
    auto failure = what.attempt(*through, std::min(now + what.limits.each_try, what.deadline));
    if (!failure) return {};
    return failed_try{
        .reason = *std::move(failure), .cut_short = runtime::monotonic_now() >= what.deadline};
}

}  // namespace muster::ledger_postgres
