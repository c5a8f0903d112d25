#pragma once

#include "adapters/bus/nats/frame.h"
#include "adapters/bus/nats/nats_options.h"
#include "base/result.h"

#include <memory>
#include <string>

struct __natsConnection;  // of <nats/nats.h>, which only .cpp files here include
struct __natsSubscription;

namespace muster::nats {

// Receives events of a connection, on threads of libnats, until closed() is called. Methods must
// not block.
class connection_listener {
public:
    virtual ~connection_listener() = default;

    virtual void connected() = 0;     // also after each reconnect
    virtual void disconnected() = 0;  // libnats reconnects by itself
    // libnats gave up, for example because the credentials were refused, or the connection was
    // destroyed.
    virtual void closed(std::string reason) = 0;
};

// Receives messages, one at a time, on a thread of libnats. Must not block.
class message_listener {
public:
    virtual ~message_listener() = default;

    virtual void received(incoming_message message) = 0;
};

// A libnats connection. Not thread-safe, and its methods may block: use it from one thread.
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

    // Tries each server once. After that libnats restores a lost connection in the background.
    static result<std::unique_ptr<connection>> open(
        const options& options, std::shared_ptr<connection_listener> listener);

    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;
    ~connection();

    bool is_connected() const;

    // unavailable: not sent, because the connection is down. invalid: it can never be sent.
    // timed_out: it may have been sent.
    result<void> publish(const outgoing_message& message, const std::string& reply);

    // The listener may be called once more after the subscription is destroyed.
    result<std::unique_ptr<subscription>> subscribe(
        const std::string& subject, std::shared_ptr<message_listener> listener);

private:
    explicit connection(__natsConnection* handle) : handle_(handle) {}

    __natsConnection* handle_;
};

}  // namespace muster::nats
