#include "adapters/bus/nats/nats_bus.h"

#include "adapters/bus/nats/jetstream.h"
#include "adapters/bus/nats/link.h"
#include "adapters/bus/nats/nats_consumer.h"
#include "core/stream/feed.h"
#include "core/stream/subject.h"
#include "runtime/async_event.h"

#include <mutex>
#include <utility>

namespace muster {

namespace {

using nats::incoming;

// Shared with the link, which may call it once more when we are gone.
struct live_feed final : nats::link_listener {
    live_feed(
        stream::feed feed, std::shared_ptr<limit_counter> counted, std::size_t subject_prefix_size)
        : waiting(std::move(feed)), limits(std::move(counted)), prefix_size(subject_prefix_size) {}

    void received(incoming incoming) override {
        {
            const std::scoped_lock lock(mutex);
            const auto missed = waiting.missed();
            waiting.push(
                {.subject = incoming.subject.substr(prefix_size),
                 .payload = std::move(incoming.payload),
                 .id = std::move(incoming.message_id)});
            limits->lagging(waiting.missed() - missed);
        }
        bell.ring();
    }

    std::mutex mutex;
    stream::feed waiting;
    std::shared_ptr<limit_counter> limits;
    std::size_t prefix_size;  // of subjects on the wire
    runtime::async_event bell;
};

class live_subscription final : public bus_subscription {
public:
    live_subscription(nats::link& over, std::string wire_pattern, std::shared_ptr<live_feed> to)
        : link_(over), feed_(std::move(to)), heard_(link_.listen(std::move(wire_pattern), feed_)) {}
    live_subscription(const live_subscription&) = delete;
    live_subscription& operator=(const live_subscription&) = delete;
    ~live_subscription() override { link_.ignore(heard_); }

    async<stream::message> next() override {
        for (;;) {
            auto message = pop();
            if (message) co_return std::move(*message);
            CO_CHECK_OK(co_await feed_->bell.wait());
        }
    }

    std::uint64_t missed() const override {
        const std::scoped_lock lock(feed_->mutex);
        return feed_->waiting.missed();
    }

private:
    std::optional<stream::message> pop() {
        const std::scoped_lock lock(feed_->mutex);
        return feed_->waiting.pop();
    }

    nats::link& link_;
    std::shared_ptr<live_feed> feed_;
    nats::link::listener_id heard_;
};

}  // namespace

class nats_bus::impl {
public:
    explicit impl(nats::options how) : options(std::move(how)), link(options), api(link, options) {}

    const nats::options options;
    nats::link link;
    nats::jetstream api;
};

nats_bus::nats_bus(std::unique_ptr<impl> impl) : impl_(std::move(impl)) {}

nats_bus::~nats_bus() = default;

result<std::unique_ptr<nats_bus>> nats_bus::open(nats::options options) {
    CHECK_OK(nats::validate(options));
    return std::unique_ptr<nats_bus>(new nats_bus(std::make_unique<impl>(std::move(options))));
}

async<void> nats_bus::publish(stream::message message) {
    CO_CHECK_OK(stream::validate(message));
    co_return co_await impl_->api.publish(std::move(message));
}

async<std::unique_ptr<bus_subscription>> nats_bus::subscribe(std::string pattern) {
    CO_CHECK_OK(stream::validate_pattern(pattern));
    auto wire_pattern = impl_->api.wire_subject(pattern);
    auto feed = std::make_shared<live_feed>(
        stream::feed(pattern, impl_->options.feed),
        impl_->link.limits(),
        wire_pattern.find('.') + 1);
    auto result =
        std::make_unique<live_subscription>(impl_->link, std::move(wire_pattern), std::move(feed));
    CO_CHECK_OK(co_await impl_->link.round_trip(impl_->options.timeout));
    co_return result;
}

async<std::unique_ptr<bus_consumer>> nats_bus::consume(consumer_options options) {
    CO_CHECK_OK(stream::validate(options));
    co_return co_await nats::consumer::open(impl_->link, impl_->api, std::move(options));
}

async<void> nats_bus::forget_consumer(std::string name) {
    CO_CHECK_OK(stream::validate_consumer_name(name));
    co_return co_await impl_->api.delete_consumer(std::move(name));
}

async<void> nats_bus::ping() {
    return impl_->api.ping();
}

limit_hits nats_bus::hits() const {
    return impl_->link.limits()->read();
}

bool nats_bus::connected() const {
    return impl_->link.up();
}

}  // namespace muster
