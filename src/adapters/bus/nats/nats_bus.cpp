#include "adapters/bus/nats/nats_bus.h"

#include "adapters/bus/nats/jetstream.h"
#include "adapters/bus/nats/nats_client.h"
#include "adapters/bus/nats/nats_consumer.h"
#include "core/stream/feed.h"
#include "core/stream/subject.h"
#include "runtime/async_event.h"

#include <mutex>
#include <utility>

namespace muster {

namespace {

using nats::incoming_message;

// Shared with the client, which may call it once more after the subscription is destroyed.
struct live_feed final : nats::subject_listener {
    live_feed(
        stream::feed stored_feed,
        std::shared_ptr<limit_counter> counter,
        std::size_t subject_prefix_size)
        : feed(std::move(stored_feed)),
          limits(std::move(counter)),
          prefix_size(subject_prefix_size) {}

    void received(incoming_message message) override {
        {
            const std::scoped_lock lock(mutex);
            const auto missed = feed.missed();
            feed.push(
                {.subject = message.subject.substr(prefix_size),
                 .payload = std::move(message.payload),
                 .id = std::move(message.message_id)});
            limits->add_lagging(feed.missed() - missed);
        }
        wakeup.notify();
    }

    std::mutex mutex;
    stream::feed feed;
    std::shared_ptr<limit_counter> limits;
    std::size_t prefix_size;  // of subjects on the wire
    runtime::async_event wakeup;
};

class live_subscription final : public bus_subscription {
public:
    live_subscription(
        nats::nats_client& client, std::string wire_pattern, std::shared_ptr<live_feed> feed)
        : client_(client),
          feed_(std::move(feed)),
          listener_id_(client_.listen(std::move(wire_pattern), feed_)) {}
    live_subscription(const live_subscription&) = delete;
    live_subscription& operator=(const live_subscription&) = delete;
    ~live_subscription() override { client_.unlisten(listener_id_); }

    async<stream::message> next() override {
        for (;;) {
            auto message = pop();
            if (message) co_return std::move(*message);
            CO_CHECK_OK(co_await feed_->wakeup.wait());
        }
    }

    std::uint64_t missed() const override {
        const std::scoped_lock lock(feed_->mutex);
        return feed_->feed.missed();
    }

private:
    std::optional<stream::message> pop() {
        const std::scoped_lock lock(feed_->mutex);
        return feed_->feed.pop();
    }

    nats::nats_client& client_;
    std::shared_ptr<live_feed> feed_;
    nats::nats_client::listener_id listener_id_;
};

}  // namespace

class nats_bus::impl {
public:
    explicit impl(nats::options nats_options)
        : options(std::move(nats_options)), client(options), api(client, options) {}

    const nats::options options;
    nats::nats_client client;
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
    auto wire_pattern = impl_->api.to_wire_subject(pattern);
    auto feed = std::make_shared<live_feed>(
        stream::feed(pattern, impl_->options.feed),
        impl_->client.limits(),
        wire_pattern.find('.') + 1);
    auto subscription = std::make_unique<live_subscription>(
        impl_->client, std::move(wire_pattern), std::move(feed));
    CO_CHECK_OK(co_await impl_->client.round_trip(impl_->options.timeout));
    co_return subscription;
}

async<std::unique_ptr<bus_consumer>> nats_bus::consume(consumer_options options) {
    CO_CHECK_OK(stream::validate(options));
    co_return co_await nats::consumer::open(impl_->client, impl_->api, std::move(options));
}

async<void> nats_bus::delete_consumer(std::string name) {
    CO_CHECK_OK(stream::validate_consumer_name(name));
    co_return co_await impl_->api.delete_consumer(std::move(name));
}

async<void> nats_bus::ping() {
    return impl_->api.ping();
}

limit_hits nats_bus::hits() const {
    return impl_->client.limits()->read();
}

bool nats_bus::is_connected() const {
    return impl_->client.is_connected();
}

}  // namespace muster
