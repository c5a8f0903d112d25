#pragma once

#include "adapters/bus/nats/connection.h"
#include "adapters/bus/nats/frame.h"
#include "adapters/bus/nats/nats_options.h"
#include "adapters/bus/nats/outbox.h"
#include "base/backoff.h"
#include "base/time.h"
#include "ports/async.h"
#include "ports/limit_hits.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace muster::nats {

// Receives the messages of a subject. Called on threads of the client or of libnats; must not
// block.
class subject_listener : public message_listener {
public:
    virtual void reconnected() {}  // messages may have been lost
};

// Asynchronous NATS client: requests with responses, messages without, and subscriptions. It never
// blocks the caller.
//
// An engine thread does everything that may block, and restores lost connections. A second thread
// ends overdue requests, so that they do not wait for the engine thread. Thread-safe. Completions
// run on these threads or on threads of libnats and must not block.
class nats_client {
public:
    using listener_id = std::uint64_t;

    explicit nats_client(options options);
    nats_client(const nats_client&) = delete;
    nats_client& operator=(const nats_client&) = delete;
    ~nats_client();

    bool is_connected() const { return connected_; }
    // Shared with listeners, which may be called once more after the client is destroyed.
    const std::shared_ptr<limit_counter>& limits() const { return limits_; }

    // Returns the response. unavailable: not sent, because a limit was reached or the connection is
    // down, or nobody serves the subject. timed_out: sent, but no response within `timeout`.
    async<incoming_message> request(outgoing_message message, monotonic::duration timeout);

    // Queues a message; it is sent before any later request. unavailable: too many messages wait.
    result<void> send(outgoing_message message, std::string reply = {});

    // Listens until unlisten(). Once a later request has its response, no message is missed.
    listener_id listen(std::string subject, std::shared_ptr<subject_listener> listener);
    void unlisten(listener_id id);

    // Ends when the server has processed all earlier messages and subscriptions.
    async<void> round_trip(monotonic::duration timeout);

    // Returns a new, unique subject.
    std::string create_inbox();

    // The messages that wait to be sent.
    outbox::queue_load unsent() const;

private:
    struct registration {
        std::string subject;
        std::shared_ptr<subject_listener> listener;
        std::unique_ptr<connection::subscription> subscription;
    };

    void start_request(
        outgoing_message message, monotonic::duration timeout, completion<incoming_message> done);
    // Moves from both if the limits allow it; otherwise returns why not.
    result<void> enqueue(
        outgoing_message& message, monotonic::duration timeout, completion<incoming_message>& done);
    void on_answer(incoming_message message);

    void run();
    void wait_for_work(std::unique_lock<std::mutex>& lock);
    void keep_connected(instant now);
    void open_connection();
    void update_subscriptions();
    void send_queued();
    bool send_one(outbox::queued_message next);  // false: the connection is down
    void connection_changed(bool up);
    void connection_closed(std::string reason);
    void watch_deadlines();

    // Receives responses and connection events, which libnats may report after the client is
    // destroyed.
    class callback_guard;

    const options options_;
    const std::shared_ptr<callback_guard> guard_;
    const std::string inbox_;
    std::atomic<bool> connected_ = false;
    const std::shared_ptr<limit_counter> limits_ = std::make_shared<limit_counter>();

    mutable std::mutex mutex_;
    std::condition_variable wake_;              // of the engine thread
    std::condition_variable deadline_changed_;  // whoever watches them
    instant wait_until_;
    bool has_work_ = false;
    bool stopping_ = false;
    bool stopped_ = false;  // the engine thread ended
    bool closed_ = true;    // no connection; libnats calls no listener any more
    std::string down_reason_ = "not connected yet";
    listener_id last_listener_ = 0;
    outbox outbox_;
    std::map<listener_id, registration> listeners_;
    std::vector<listener_id> to_subscribe_;
    std::vector<std::unique_ptr<connection::subscription>> to_unsubscribe_;

    // Used by the engine thread only.
    std::unique_ptr<connection> connection_;
    instant connect_at_;
    backoff connect_pause_;

    std::thread engine_thread_;
    std::thread deadline_thread_;
};

}  // namespace muster::nats
