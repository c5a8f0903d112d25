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
    events_.place = &event_position::events;
    returns_.table = jobs::tasks_table;
    returns_.place = &event_position::tasks;
}

event_watcher::~event_watcher() {
    for (const auto& each : waiting_) each.done(fail(errc::unavailable, "the server stops"));
}

std::size_t event_watcher::waiting() const {
    const std::lock_guard lock(guard_);
    return waiting_.size();
}

bool event_watcher::wants(const waiter& waiter, const source& source) const {
    return &source == &returns_ ? waiter.returns : waiter.events;
}

bool event_watcher::has_news(const waiter& waiter) const {
    return std::ranges::any_of(std::array{&events_, &returns_}, [&](const source* source) {
        return wants(waiter, *source) && source->last > waiter.after.*(source->place);
    });
}

bool event_watcher::is_awaited(const source& source) const {
    const std::lock_guard lock(guard_);
    return std::ranges::any_of(
        waiting_, [&](const waiter& waiter) { return wants(waiter, source); });
}

async<void> event_watcher::wait(
    event_filter event_filter, event_position after, std::chrono::milliseconds timeout) {
    waiter waiter{
        .events = event_filter.wants_events() || !event_filter.returns,
        .returns = event_filter.returns,
        .after = after,
        .until = clock_.now() + timeout,
        .done = nullptr};
    auto ring = completed<void>([this, waiter](completion<void> done) mutable {
        waiter.done = std::move(done);
        add(std::move(waiter));
    });
    const auto rung = co_await within(clock_, timeout, std::move(ring));
    if (!rung && rung.error().code() != errc::timed_out) co_return fail(rung.error());
    co_return result<void>();
}

// Whose the timeout is over waits no more, and nobody needs to tell it.
void event_watcher::forget_the_impatient() {
    const auto now = clock_.now();
    std::erase_if(waiting_, [&](const waiter& waiter) { return waiter.until <= now; });
}

// Also who is answered at once rings: what is known may be of a ledger that has gone back.
void event_watcher::add(waiter waiter) {
    const bool events = waiter.events;
    const bool returns = waiter.returns;
    completion<void> answered;
    {
        const std::lock_guard lock(guard_);
        forget_the_impatient();
        if (has_news(waiter)) {
            answered = std::move(waiter.done);
        } else {
            waiting_.push_back(std::move(waiter));
        }
    }
    if (events) events_.wanted.ring();
    if (returns) returns_.wanted.ring();
    if (answered) answered({});
}

void event_watcher::publish(source& source, std::int64_t last) {
    std::vector<completion<void>> rung;
    {
        const std::lock_guard lock(guard_);
        source.last = last;
        forget_the_impatient();
        std::erase_if(waiting_, [&](waiter& waiter) {
            if (!has_news(waiter)) return false;
            rung.push_back(std::move(waiter.done));
            return true;
        });
    }
    for (const auto& each : rung) each({});
}

void event_watcher::give_up(const source& source, const error& why) {
    std::vector<completion<void>> responses;
    {
        const std::lock_guard lock(guard_);
        std::erase_if(waiting_, [&](waiter& waiter) {
            if (!wants(waiter, source)) return false;
            responses.push_back(std::move(waiter.done));
            return true;
        });
    }
    for (const auto& response : responses) response(fail(why));
}

boost::asio::awaitable<void> event_watcher::follow(source* source) {
    while (true) {
        if (!is_awaited(*source)) {
            const auto rung = co_await source->wanted.wait();
            if (!rung) co_return;
        }
        ++looks_;
        // Nobody else writes it, so it is read without the lock.
        const table::sequence sequence(source->last);
        const auto last =
            co_await ledger_.wait_for_change(source->table, sequence, options_.timeout);
        if (!last && last.error().code() == errc::cancelled) co_return;
        if (last) {
            publish(*source, last->value());
        } else {
            give_up(*source, last.error());
        }
        const auto slept = co_await clock_.sleep_for(
            last ? options_.moment : monotonic::duration(pause_after_failure));
        if (!slept) co_return;
    }
}

}  // namespace muster::events
