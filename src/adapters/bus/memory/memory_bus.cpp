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
    memory_subscription(std::shared_ptr<memory_bus::shared_stream> on, std::string pattern)
        : on_(std::move(on)), me_(on_->listen(std::move(pattern))) {}
    memory_subscription(const memory_subscription&) = delete;
    memory_subscription& operator=(const memory_subscription&) = delete;
    ~memory_subscription() override { on_->leave(me_); }

    async<stream::message> next() override {
        for (;;) {
            auto message = on_->next_for(*me_);
            if (message) co_return std::move(*message);
            CO_CHECK_OK(co_await me_->bell.wait());
        }
    }

    std::uint64_t missed() const override { return on_->missed_by(*me_); }

private:
    std::shared_ptr<memory_bus::shared_stream> on_;
    std::shared_ptr<memory_bus::shared_stream::listener> me_;
};

class memory_consumer final : public bus_consumer {
public:
    memory_consumer(
        std::shared_ptr<memory_bus::shared_stream> on,
        std::shared_ptr<memory_bus::shared_stream::reader> me)
        : on_(std::move(on)), me_(std::move(me)) {}
    memory_consumer(const memory_consumer&) = delete;
    memory_consumer& operator=(const memory_consumer&) = delete;
    ~memory_consumer() override { on_->close(me_); }

    async<std::vector<stream::delivery>> fetch(
        std::size_t messages_max, std::chrono::milliseconds wait) override {
        auto& clock = on_->clock();
        const auto give_up_at = clock.now() + wait;
        for (;;) {
            CO_TRY(auto deliveries, on_->fetch(*me_, messages_max));
            const auto now = clock.now();
            if (!deliveries.empty() || now >= give_up_at) co_return deliveries;
            const auto look_at = std::min(on_->next_deadline().value_or(give_up_at), give_up_at);
            const auto rung = co_await within(clock, look_at - now, me_->bell.wait());
            if (!rung && rung.error().code() != errc::timed_out) co_return fail(rung.error());
        }
    }

    async<void> acknowledge(std::vector<std::uint64_t> sequences) override {
        co_return on_->acknowledge(*me_, sequences);
    }

private:
    std::shared_ptr<memory_bus::shared_stream> on_;
    std::shared_ptr<memory_bus::shared_stream::reader> me_;
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

async<void> memory_bus::forget_consumer(std::string name) {
    co_return stream_->forget_consumer(name);
}

async<void> memory_bus::ping() {
    co_return result<void>();
}

}  // namespace muster
