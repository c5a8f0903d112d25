#include "services/events/event_writer.h"

#include <chrono>
#include <utility>

namespace muster::events {
namespace {

constexpr auto pause_after_failure = std::chrono::seconds(1);

}  // namespace

void event_writer::post(event_record event) {
    {
        const std::lock_guard lock(guard_);
        if (!waiting_.try_push(std::move(event))) ++dropped_;
    }
    more_.ring();
}

void event_writer::refill() {
    const std::lock_guard lock(guard_);
    while (batch_.size() < batch_max && !waiting_.empty()) batch_.push_back(waiting_.pop());
}

async<void> event_writer::write_batch() {
    const auto written = co_await to_.write(batch_);
    if (!written && written.error().code() == errc::invalid) co_return co_await write_each();
    if (!written) co_return fail(written.error());
    batch_.clear();
    co_return result<void>();
}

// One of them the ledger will never take: it is let go, and the others do not suffer for it. After
// another failure what is left stays in the batch.
async<void> event_writer::write_each() {
    while (!batch_.empty()) {
        const auto& first = batch_.front();
        const auto written = co_await to_.write({first});
        if (!written && written.error().code() != errc::invalid) co_return fail(written.error());
        if (!written) {
            ++dropped_;
            log_.error(
                "an event is not taken",
                {{"kind", first.kind}, {"id", first.id}, {"reason", to_string(written.error())}});
        }
        batch_.erase(batch_.begin());
    }
    co_return result<void>();
}

async<void> event_writer::flush() {
    for (refill(); !batch_.empty(); refill()) {
        CO_CHECK_OK(co_await write_batch());
    }
    co_return result<void>();
}

boost::asio::awaitable<void> event_writer::run() {
    bool well = true;
    while (true) {
        refill();
        const bool idle = batch_.empty();
        auto done = idle ? co_await more_.wait() : co_await write_batch();
        if (done) {
            well = well || !idle;
            continue;
        }
        if (done.error().code() == errc::cancelled) co_return;
        if (std::exchange(well, false))
            log_.warning("events cannot be written", {{"reason", to_string(done.error())}});
        const auto slept = co_await to_.clock().sleep_for(pause_after_failure);
        if (!slept) co_return;
    }
}

}  // namespace muster::events
