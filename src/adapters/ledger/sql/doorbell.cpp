#include "adapters/ledger/sql/doorbell.h"

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
    bool patience_over,
    const result<doorbell::sequences>& seen) {
    if (!seen) {
        if (!patience_over) return std::nullopt;
        return result<table::sequence>(fail(seen.error()));
    }
    const auto found = seen->find(table);
    const auto last = found == seen->end() ? table::sequence() : found->second;
    if (last > after || patience_over) return result<table::sequence>(last);
    return std::nullopt;
}

}  // namespace

doorbell::doorbell(look how, options limits)
    : how_(std::move(how)), limits_(limits), thread_([this] { run(); }) {}

doorbell::~doorbell() {
    {
        const std::lock_guard lock(guard_);
        closing_ = true;
    }
    woken_.notify_all();
    thread_.join();
    for (const auto& each : waiting_) each.done(fail(errc::unavailable, "the ledger is closing"));
}

void doorbell::wait(wish what, completion<table::sequence> done) {
    std::unique_lock lock(guard_);
    if (waiting_.size() == limits_.waiters_max) {
        lock.unlock();
        hits_.refused();
        return done(fail(errc::unavailable, "too many wait for changes of the ledger"));
    }
    waiting_.push_back(
        {.table = std::move(what.table),
         .after = what.after,
         .deadline = runtime::monotonic_now() + what.patience,
         .done = std::move(done)});
    rung_ = true;  // look at once: the change may be there already
    lock.unlock();
    woken_.notify_one();
}

void doorbell::ring() {
    {
        const std::lock_guard lock(guard_);
        rung_ = true;
    }
    woken_.notify_one();
}

void doorbell::run() {
    while (sleep()) answer(how_());
}

std::chrono::milliseconds doorbell::until_next_look() const {
    auto soonest = limits_.look_every;
    const instant now = runtime::monotonic_now();
    for (const auto& each : waiting_)
        soonest =
            std::min(soonest, std::chrono::ceil<std::chrono::milliseconds>(each.deadline - now));
    return std::max(soonest, std::chrono::milliseconds(0));
}

bool doorbell::sleep() {
    std::unique_lock lock(guard_);
    woken_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
    woken_.wait_for(lock, until_next_look(), [this] { return closing_ || rung_; });
    rung_ = false;
    return !closing_;
}

void doorbell::answer(const result<sequences>& seen) {
    std::vector<std::pair<completion<table::sequence>, result<table::sequence>>> answers;
    {
        const std::lock_guard lock(guard_);
        const instant now = runtime::monotonic_now();
        std::erase_if(waiting_, [&](waiter& each) {
            auto told = verdict(each.table, each.after, each.deadline <= now, seen);
            if (!told) return false;
            answers.emplace_back(std::move(each.done), *std::move(told));
            return true;
        });
    }
    for (auto& [done, told] : answers) done(std::move(told));
}

}  // namespace muster::ledger_sql
