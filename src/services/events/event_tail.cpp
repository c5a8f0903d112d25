#include "services/events/event_tail.h"

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

event_tail::event_tail(ledger& records, clock& time, options how)
    : records_(records), time_(time), how_(how) {
    events_.table = events_table;
    events_.place = &event_position::events;
    returns_.table = jobs::tasks_table;
    returns_.place = &event_position::tasks;
}

event_tail::~event_tail() {
    for (const auto& each : waiting_) each.done(fail(errc::unavailable, "the server stops"));
}

std::size_t event_tail::waiting() const {
    const std::lock_guard lock(guard_);
    return waiting_.size();
}

bool event_tail::wants(const waiter& one, const source& which) const {
    return &which == &returns_ ? one.returns : one.events;
}

bool event_tail::has_news(const waiter& one) const {
    return std::ranges::any_of(std::array{&events_, &returns_}, [&](const source* each) {
        return wants(one, *each) && each->last > one.after.*(each->place);
    });
}

bool event_tail::is_awaited(const source& which) const {
    const std::lock_guard lock(guard_);
    return std::ranges::any_of(waiting_, [&](const waiter& each) { return wants(each, which); });
}

async<void> event_tail::wait(
    event_filter wanted, event_position after, std::chrono::milliseconds patience) {
    waiter one{
        .events = wanted.wants_events() || !wanted.returns,
        .returns = wanted.returns,
        .after = after,
        .until = time_.now() + patience,
        .done = nullptr};
    auto ring = completed<void>([this, one](completion<void> done) mutable {
        one.done = std::move(done);
        add(std::move(one));
    });
    const auto rung = co_await within(time_, patience, std::move(ring));
    if (!rung && rung.error().code() != errc::timed_out) co_return fail(rung.error());
    co_return result<void>();
}

// Whose patience is over waits no more, and nobody needs to tell it.
void event_tail::forget_the_impatient() {
    const auto now = time_.now();
    std::erase_if(waiting_, [&](const waiter& each) { return each.until <= now; });
}

// Also who is answered at once rings: what is known may be of a ledger that has gone back.
void event_tail::add(waiter one) {
    const bool events = one.events;
    const bool returns = one.returns;
    completion<void> answered;
    {
        const std::lock_guard lock(guard_);
        forget_the_impatient();
        if (has_news(one)) {
            answered = std::move(one.done);
        } else {
            waiting_.push_back(std::move(one));
        }
    }
    if (events) events_.wanted.ring();
    if (returns) returns_.wanted.ring();
    if (answered) answered({});
}

void event_tail::publish(source& which, std::int64_t last) {
    std::vector<completion<void>> rung;
    {
        const std::lock_guard lock(guard_);
        which.last = last;
        forget_the_impatient();
        std::erase_if(waiting_, [&](waiter& each) {
            if (!has_news(each)) return false;
            rung.push_back(std::move(each.done));
            return true;
        });
    }
    for (const auto& each : rung) each({});
}

void event_tail::give_up(const source& which, const error& why) {
    std::vector<completion<void>> told;
    {
        const std::lock_guard lock(guard_);
        std::erase_if(waiting_, [&](waiter& each) {
            if (!wants(each, which)) return false;
            told.push_back(std::move(each.done));
            return true;
        });
    }
    for (const auto& each : told) each(fail(why));
}

boost::asio::awaitable<void> event_tail::follow(source* which) {
    while (true) {
        if (!is_awaited(*which)) {
            const auto rung = co_await which->wanted.wait();
            if (!rung) co_return;
        }
        ++looks_;
        // Nobody else writes it, so it is read without the lock.
        const table::sequence known(which->last);
        const auto last = co_await records_.wait_for_change(which->table, known, how_.patience);
        if (!last && last.error().code() == errc::cancelled) co_return;
        if (last) {
            publish(*which, last->value());
        } else {
            give_up(*which, last.error());
        }
        const auto slept =
            co_await time_.sleep_for(last ? how_.moment : monotonic::duration(pause_after_failure));
        if (!slept) co_return;
    }
}

}  // namespace muster::events
