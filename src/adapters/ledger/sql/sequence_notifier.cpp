#include "adapters/ledger/sql/sequence_notifier.h"

#include "runtime/clock.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace muster::ledger_sql {
namespace {

// The outcome of a wait, or nothing when it continues.
std::optional<result<table::sequence>> outcome_for(
    const std::string& table,
    table::sequence after,
    bool timed_out,
    const result<sequence_notifier::sequences>& sequences) {
    if (!sequences) {
        if (!timed_out) return std::nullopt;
        return result<table::sequence>(fail(sequences.error()));
    }
    const auto it = sequences->find(table);
    const auto last = it == sequences->end() ? table::sequence() : it->second;
    if (last > after || timed_out) return result<table::sequence>(last);
    return std::nullopt;
}

}  // namespace

sequence_notifier::sequence_notifier(sequence_source& source, options options)
    : source_(source), options_(options), thread_([this] { run(); }) {}

sequence_notifier::~sequence_notifier() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    wakeup_.notify_all();
    thread_.join();
    for (const auto& waiter : waiters_) waiter.done(fail(errc::unavailable, "ledger is closing"));
}

void sequence_notifier::wait(wait_request request, completion<table::sequence> done) {
    std::unique_lock lock(mutex_);
    if (waiters_.size() == options_.waiters_max) {
        lock.unlock();
        hits_.add_refused();
        return done(fail(errc::unavailable, "limit of ledger change waiters reached"));
    }
    waiters_.push_back(
        {.table = std::move(request.table),
         .after = request.after,
         .deadline = runtime::monotonic_now() + request.timeout,
         .done = std::move(done)});
    notified_ = true;  // read at once: the change may have happened already
    lock.unlock();
    wakeup_.notify_one();
}

void sequence_notifier::notify() {
    {
        const std::lock_guard lock(mutex_);
        notified_ = true;
    }
    wakeup_.notify_one();
}

void sequence_notifier::run() {
    while (sleep()) complete_waiters(source_.read());
}

std::chrono::milliseconds sequence_notifier::wait_time() const {
    auto soonest = options_.poll_interval;
    const instant now = runtime::monotonic_now();
    for (const auto& waiter : waiters_)
        soonest =
            std::min(soonest, std::chrono::ceil<std::chrono::milliseconds>(waiter.deadline - now));
    return std::max(soonest, std::chrono::milliseconds(0));
}

bool sequence_notifier::sleep() {
    std::unique_lock lock(mutex_);
    wakeup_.wait(lock, [this] { return closing_ || !waiters_.empty(); });
    wakeup_.wait_for(lock, wait_time(), [this] { return closing_ || notified_; });
    notified_ = false;
    return !closing_;
}

void sequence_notifier::complete_waiters(const result<sequences>& sequences) {
    std::vector<std::pair<completion<table::sequence>, result<table::sequence>>> completions;
    {
        const std::lock_guard lock(mutex_);
        const instant now = runtime::monotonic_now();
        std::erase_if(waiters_, [&](waiter& waiter) {
            auto outcome =
                outcome_for(waiter.table, waiter.after, waiter.deadline <= now, sequences);
            if (!outcome) return false;
            completions.emplace_back(std::move(waiter.done), *std::move(outcome));
            return true;
        });
    }
    for (auto& [done, outcome] : completions) done(std::move(outcome));
}

}  // namespace muster::ledger_sql
