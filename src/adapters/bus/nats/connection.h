#pragma once

#include "adapters/bus/nats/frame.h"
#include "adapters/bus/nats/nats_options.h"
#include "base/result.h"

#include <functional>
#include <memory>
#include <string>

struct __natsConnection;  // of <nats/nats.h>, which only .cpp files here include
struct __natsSubscription;

namespace muster::nats {

// What libnats tells on threads of its own, until `closed` was called. None of them may block.
struct connection_events {
    std::function<void()> up;    // connected, also again
    std::function<void()> down;  // lost; libnats connects again by itself
    // libnats gave up, for example because the credentials were refused, or we closed it.
    std::function<void(std::string why)> closed;
};

// A libnats connection. Not thread-safe, and its methods may block: for one engine thread.
class connection {
public:
    using message_handler = std::function<void(incoming)>;

    class subscription {
    public:
        explicit subscription(__natsSubscription* handle) : handle_(handle) {}
        subscription(const subscription&) = delete;
        subscription& operator=(const subscription&) = delete;
        ~subscription();

    private:
        __natsSubscription* handle_;
    };

    // Tries each server once. A connection that was made and is lost later is made again by libnats
    // in the background.
    static result<std::unique_ptr<connection>> open(
        const options& options, connection_events events);

    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;
    ~connection();

    bool up() const;

    // unavailable: not sent, for the connection is down. invalid: it can never be sent.
    // timed_out: it may have been.
    result<void> publish(const outgoing& outgoing, const std::string& reply);

    // The handler is called on a thread of libnats, one message at a time, possibly once more after
    // the subscription is gone.
    result<std::unique_ptr<subscription>> subscribe(
        const std::string& subject, message_handler handler);

private:
    explicit connection(__natsConnection* handle) : handle_(handle) {}

    __natsConnection* handle_;
};

}  // namespace muster::nats
