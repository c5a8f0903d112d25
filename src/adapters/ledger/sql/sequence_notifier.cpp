#include "adapters/ledger/sql/sequence_notifier.h"

#include "runtime/clock.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace muster::ledger_sql {
namespace {

// What a waiter is told, or nothing when it has to wait on.
std::optional<result<table::sequence>> verdict(
    const std::string& table,
    table::sequence after,
    bool timeout_over,
    const result<sequence_notifier::sequences>& sequences) {
    if (!sequences) {
        if (!timeout_over) return std::nullopt;
        return result<table::sequence>(fail(sequences.error()));
    }
    const auto it = sequences->find(table);
    const auto last = it == sequences->end() ? table::sequence() : it->second;
    if (last > after || timeout_over) return result<table::sequence>(last);
    return std::nullopt;
}

}  // namespace

sequence_notifier::sequence_notifier(sequence_source& source, options limits)
    : source_(source), limits_(limits), thread_([this] { run(); }) {}

sequence_notifier::~sequence_notifier() {
    {
        const std::lock_guard lock(guard_);
        closing_ = true;
    }
    woken_.notify_all();
    thread_.join();
    for (const auto& each : waiting_) each.done(fail(errc::unavailable, "the ledger is closing"));
}

void sequence_notifier::wait(sequence_wait sequence_wait, completion<table::sequence> done) {
    std::unique_lock lock(guard_);
    if (waiting_.size() == limits_.waiters_max) {
        lock.unlock();
        hits_.refused();
        return done(fail(errc::unavailable, "too many wait for changes of the ledger"));
    }
    waiting_.push_back(
        {.table = std::move(sequence_wait.table),
         .after = sequence_wait.after,
         .deadline = runtime::monotonic_now() + sequence_wait.timeout,
         .done = std::move(done)});
    rung_ = true;  // look at once: the change may be there already
    lock.unlock();
    woken_.notify_one();
}

void sequence_notifier::ring() {
    {
        const std::lock_guard lock(guard_);
        rung_ = true;
    }
    woken_.notify_one();
}

void sequence_notifier::run() {
    while (sleep()) answer(source_.read());
}

std::chrono::milliseconds sequence_notifier::until_next_look() const {
    auto soonest = limits_.look_every;
    const instant now = runtime::monotonic_now();
    for (const auto& each : waiting_)
        soonest =
            std::min(soonest, std::chrono::ceil<std::chrono::milliseconds>(each.deadline - now));
    return std::max(soonest, std::chrono::milliseconds(0));
}

bool sequence_notifier::sleep() {
    std::unique_lock lock(guard_);
    woken_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
    woken_.wait_for(lock, until_next_look(), [this] { return closing_ || rung_; });
    rung_ = false;
    return !closing_;
}

void sequence_notifier::answer(const result<sequences>& sequences) {
    std::vector<std::pair<completion<table::sequence>, result<table::sequence>>> answers;
    {
        const std::lock_guard lock(guard_);
        const instant now = runtime::monotonic_now();
        std::erase_if(waiting_, [&](waiter& waiter) {
            auto response = verdict(waiter.table, waiter.after, waiter.deadline <= now, sequences);
            if (!response) return false;
            answers.emplace_back(std::move(waiter.done), *std::move(response));
            return true;
        });
    }
    for (auto& [done, told] : answers) done(std::move(told));
}

}  // namespace muster::ledger_sql
