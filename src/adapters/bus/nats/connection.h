#pragma once

#include "adapters/bus/nats/frame.h"
#include "adapters/bus/nats/nats_options.h"
#include "base/result.h"

#include <memory>
#include <string>

struct __natsConnection;  // of <nats/nats.h>, which only .cpp files here include
struct __natsSubscription;

namespace muster::nats {

// Called on threads of libnats, until closed() was called. No method may block.
class connection_listener {
public:
    virtual ~connection_listener() = default;

    virtual void connected() = 0;     // also again
    virtual void disconnected() = 0;  // libnats connects again by itself
    // libnats gave up, for example because the credentials were refused, or we closed it.
    virtual void closed(std::string reason) = 0;
};

// Called on a thread of libnats, one message at a time. May not block.
class message_listener {
public:
    virtual ~message_listener() = default;

    virtual void received(incoming message) = 0;
};

// A libnats connection. Not thread-safe, and its methods may block: for one engine thread.
class connection {
public:
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
        const options& options, std::shared_ptr<connection_listener> listener);

    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;
    ~connection();

    bool up() const;

    // unavailable: not sent, for the connection is down. invalid: it can never be sent.
    // timed_out: it may have been.
    result<void> publish(const outgoing& outgoing, const std::string& reply);

    // The listener may be called once more after the subscription is gone.
    result<std::unique_ptr<subscription>> subscribe(
        const std::string& subject, std::shared_ptr<message_listener> listener);

private:
    explicit connection(__natsConnection* handle) : handle_(handle) {}

    __natsConnection* handle_;
};

}  // namespace muster::nats
