#include "adapters/bus/memory/memory_bus.h"

#include "adapters/bus/memory/shared_stream.h"
#include "core/stream/subject.h"
#include "ports/deadline.h"

#include <algorithm>
#include <utility>

namespace muster {

namespace {

class memory_subscription final : public bus_subscription {
public:
    memory_subscription(std::shared_ptr<memory_bus::shared_stream> stream, std::string pattern)
        : stream_(std::move(stream)), listener_(stream_->add_listener(std::move(pattern))) {}
    memory_subscription(const memory_subscription&) = delete;
    memory_subscription& operator=(const memory_subscription&) = delete;
    ~memory_subscription() override { stream_->remove_listener(listener_); }

    async<stream::message> next() override {
        for (;;) {
            auto message = stream_->pop_message(*listener_);
            if (message) co_return std::move(*message);
            CO_CHECK_OK(co_await listener_->wakeup.wait());
        }
    }

    std::uint64_t missed() const override { return stream_->missed_count(*listener_); }

private:
    std::shared_ptr<memory_bus::shared_stream> stream_;
    std::shared_ptr<memory_bus::shared_stream::listener> listener_;
};

class memory_consumer final : public bus_consumer {
public:
    memory_consumer(
        std::shared_ptr<memory_bus::shared_stream> stream,
        std::shared_ptr<memory_bus::shared_stream::reader> reader)
        : stream_(std::move(stream)), reader_(std::move(reader)) {}
    memory_consumer(const memory_consumer&) = delete;
    memory_consumer& operator=(const memory_consumer&) = delete;
    ~memory_consumer() override { stream_->close(reader_); }

    async<std::vector<stream::delivery>> fetch(
        std::size_t messages_max, std::chrono::milliseconds wait) override {
        auto& clock = stream_->clock();
        const auto deadline = clock.now() + wait;
        for (;;) {
            CO_TRY(auto deliveries, stream_->fetch(*reader_, messages_max));
            const auto now = clock.now();
            if (!deliveries.empty() || now >= deadline) co_return deliveries;
            const auto retry_at = std::min(stream_->next_deadline().value_or(deadline), deadline);
            const auto woken = co_await within(clock, retry_at - now, reader_->wakeup.wait());
            if (!woken && woken.error().code() != errc::timed_out) co_return fail(woken.error());
        }
    }

    async<void> acknowledge(std::vector<std::uint64_t> sequences) override {
        co_return stream_->acknowledge(*reader_, sequences);
    }

private:
    std::shared_ptr<memory_bus::shared_stream> stream_;
    std::shared_ptr<memory_bus::shared_stream::reader> reader_;
};

}  // namespace

memory_bus::memory_bus(muster::clock& clock, memory_bus_options options)
    : stream_(std::make_shared<shared_stream>(clock, options)) {}

memory_bus::~memory_bus() = default;

async<void> memory_bus::publish(stream::message message) {
    co_return stream_->publish(std::move(message));
}

async<std::unique_ptr<bus_subscription>> memory_bus::subscribe(std::string pattern) {
    CO_CHECK_OK(stream::validate_pattern(pattern));
    co_return std::make_unique<memory_subscription>(stream_, std::move(pattern));
}

async<std::unique_ptr<bus_consumer>> memory_bus::consume(consumer_options options) {
    CO_TRY(auto reader, stream_->open(options));
    co_return std::make_unique<memory_consumer>(stream_, std::move(reader));
}

limit_hits memory_bus::hits() const {
    return stream_->hits();
}

async<void> memory_bus::delete_consumer(std::string name) {
    co_return stream_->delete_consumer(name);
}

async<void> memory_bus::ping() {
    co_return result<void>();
}

}  // namespace muster
