#include "services/events/event_watcher.h"

#include "core/events/event_row.h"
#include "ports/deadline.h"
#include "services/jobs/job_tables.h"

#include <algorithm>
#include <array>
#include <utility>

namespace muster::events {
namespace {

constexpr auto pause_after_failure = std::chrono::seconds(1);

}  // namespace

event_watcher::event_watcher(muster::ledger& ledger, muster::clock& clock, options options)
    : ledger_(ledger), clock_(clock), options_(options) {
    events_.table = events_table;
    events_.member = &event_position::events;
    returns_.table = jobs::tasks_table;
    returns_.member = &event_position::tasks;
}

event_watcher::~event_watcher() {
    for (const auto& waiter : waiters_) waiter.done(fail(errc::unavailable, "server is stopping"));
}

std::size_t event_watcher::waiter_count() const {
    const std::lock_guard lock(mutex_);
    return waiters_.size();
}

bool event_watcher::wants(const waiter& waiter, const source& source) const {
    return &source == &returns_ ? waiter.returns : waiter.events;
}

bool event_watcher::has_news(const waiter& waiter) const {
    return std::ranges::any_of(std::array{&events_, &returns_}, [&](const source* source) {
        return wants(waiter, *source) && source->last > waiter.after.*(source->member);
    });
}

bool event_watcher::is_awaited(const source& source) const {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(
        waiters_, [&](const waiter& waiter) { return wants(waiter, source); });
}

async<void> event_watcher::wait(
    event_filter filter, event_position after, std::chrono::milliseconds timeout) {
    waiter waiter{
        .events = filter.wants_events() || !filter.returns,
        .returns = filter.returns,
        .after = after,
        .deadline = clock_.now() + timeout,
        .done = nullptr};
    auto waiting = await_callback<void>([this, waiter](completion<void> done) mutable {
        waiter.done = std::move(done);
        add(std::move(waiter));
    });
    const auto woken = co_await within(clock_, timeout, std::move(waiting));
    if (!woken && woken.error().code() != errc::timed_out) co_return fail(woken.error());
    co_return result<void>();
}

// Removes waiters after their deadline: wait() has returned already.
void event_watcher::remove_expired() {
    const auto now = clock_.now();
    std::erase_if(waiters_, [&](const waiter& waiter) { return waiter.deadline <= now; });
}

// Triggers a poll even if the waiter is woken at once: the ledger may have been restored from a
// backup, so `last` may be too high.
void event_watcher::add(waiter waiter) {
    const bool events = waiter.events;
    const bool returns = waiter.returns;
    completion<void> completed;
    {
        const std::lock_guard lock(mutex_);
        remove_expired();
        if (has_news(waiter)) {
            completed = std::move(waiter.done);
        } else {
            waiters_.push_back(std::move(waiter));
        }
    }
    if (events) events_.wanted.notify();
    if (returns) returns_.wanted.notify();
    if (completed) completed({});
}

void event_watcher::wake_waiters(source& source, std::int64_t last) {
    std::vector<completion<void>> completions;
    {
        const std::lock_guard lock(mutex_);
        source.last = last;
        remove_expired();
        std::erase_if(waiters_, [&](waiter& waiter) {
            if (!has_news(waiter)) return false;
            completions.push_back(std::move(waiter.done));
            return true;
        });
    }
    for (const auto& complete : completions) complete({});
}

void event_watcher::fail_waiters(const source& source, const error& failure) {
    std::vector<completion<void>> completions;
    {
        const std::lock_guard lock(mutex_);
        std::erase_if(waiters_, [&](waiter& waiter) {
            if (!wants(waiter, source)) return false;
            completions.push_back(std::move(waiter.done));
            return true;
        });
    }
    for (const auto& complete : completions) complete(fail(failure));
}

boost::asio::awaitable<void> event_watcher::follow(source* source) {
    while (true) {
        if (!is_awaited(*source)) {
            const auto woken = co_await source->wanted.wait();
            if (!woken) co_return;
        }
        ++polls_;
        // Only this coroutine writes `last`, so it needs no lock here.
        const table::sequence sequence(source->last);
        const auto last =
            co_await ledger_.wait_for_change(source->table, sequence, options_.timeout);
        if (!last && last.error().code() == errc::cancelled) co_return;
        if (last) {
            wake_waiters(*source, last->value());
        } else {
            fail_waiters(*source, last.error());
        }
        const auto slept = co_await clock_.sleep_for(
            last ? options_.wake_interval : monotonic::duration(pause_after_failure));
        if (!slept) co_return;
    }
}

}  // namespace muster::events
