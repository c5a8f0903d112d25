#include "services/events/event_writer.h"

#include <chrono>
#include <utility>

namespace muster::events {
namespace {

constexpr auto pause_after_failure = std::chrono::seconds(1);

}  // namespace

void event_writer::post(event_record event) {
    {
        const std::lock_guard lock(mutex_);
        if (!queue_.try_push(std::move(event))) ++dropped_;
    }
    queued_.notify();
}

void event_writer::refill() {
    const std::lock_guard lock(mutex_);
    while (batch_.size() < batch_max && !queue_.empty()) batch_.push_back(queue_.pop());
}

async<void> event_writer::write_batch() {
    const auto written = co_await events_.write(batch_);
    if (!written && written.error().code() == errc::invalid) co_return co_await write_each();
    if (!written) co_return fail(written.error());
    batch_.clear();
    co_return result<void>();
}

// Writes events one by one after the ledger rejected the batch as invalid. Drops only the invalid
// event. After another failure the remaining events stay in the batch.
async<void> event_writer::write_each() {
    while (!batch_.empty()) {
        const auto& first = batch_.front();
        const auto written = co_await events_.write({first});
        if (!written && written.error().code() != errc::invalid) co_return fail(written.error());
        if (!written) {
            ++dropped_;
            log_.error(
                "event rejected by the ledger; event dropped",
                {{"kind", first.kind}, {"id", first.id}, {"error", to_string(written.error())}});
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
    bool healthy = true;
    while (true) {
        refill();
        const bool idle = batch_.empty();
        auto outcome = idle ? co_await queued_.wait() : co_await write_batch();
        if (outcome) {
            healthy = healthy || !idle;
            continue;
        }
        if (outcome.error().code() == errc::cancelled) co_return;
        if (std::exchange(healthy, false))
            log_.warning("event write failed", {{"error", to_string(outcome.error())}});
        const auto slept = co_await events_.clock().sleep_for(pause_after_failure);
        if (!slept) co_return;
    }
}

}  // namespace muster::events
