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

// Hears the messages of a subject. Called on threads of the link or of libnats; must not block.
class link_listener : public message_listener {
public:
    virtual void reconnected() {}  // what was on its way is lost
};

// The link to NATS: requests with answers, messages without, and subscriptions, all without
// blocking the caller. One engine thread does what may block, and outlives every loss of the
// connection; another watches the deadlines, so that nobody waits longer than they wanted because
// the engine does. Thread-safe. Completions run on threads of the link or of libnats and must not
// block.
class link {
public:
    using listener_id = std::uint64_t;

    explicit link(options options);
    link(const link&) = delete;
    link& operator=(const link&) = delete;
    ~link();

    bool up() const { return up_; }
    // Shared with listeners that may be called once more when the link is gone.
    const std::shared_ptr<limit_counter>& limits() const { return limits_; }

    // Ends with the answer. unavailable: never sent, also because too many wait already, or nobody
    // serves the subject now; timed_out: sent, and no answer within `timeout`.
    async<incoming> request(outgoing outgoing, monotonic::duration timeout);

    // Sent when connected, before any later request. unavailable: too many wait already.
    result<void> send(outgoing outgoing, std::string reply = {});

    // Listens until ignore(). What is published after a later request was answered is heard.
    listener_id listen(std::string subject, std::shared_ptr<link_listener> who);
    void ignore(listener_id listener_id);

    // Ends when the server has seen all that was sent and listened to before.
    async<void> round_trip(monotonic::duration timeout);

    // A subject that nobody else uses.
    std::string fresh_inbox();

    // What waits to be sent.
    outbox::load unsent() const;

private:
    struct registration {
        std::string subject;
        std::shared_ptr<link_listener> who;
        std::unique_ptr<connection::subscription> held;
    };

    void start_request(outgoing outgoing, monotonic::duration timeout, completion<incoming> done);
    // Takes both when there is room; otherwise says why not.
    result<void> enqueue(
        outgoing& outgoing, monotonic::duration timeout, completion<incoming>& done);
    void answered(incoming incoming);

    void run();
    void wait_for_work(std::unique_lock<std::mutex>& lock);
    void keep_connected(instant now);
    void open_connection();
    void follow_registrations();
    void send_queued();
    bool send_one(outbox::letter next);  // false: the connection is down
    void connection_changed(bool up);
    void connection_closed(std::string why);
    void watch_deadlines();

    // Hears answers and what happens to the connection: libnats may tell of both when we are gone.
    class lifeline;

    const options options_;
    const std::shared_ptr<lifeline> alive_;
    const std::string inbox_;
    std::atomic<bool> up_ = false;
    const std::shared_ptr<limit_counter> limits_ = std::make_shared<limit_counter>();

    mutable std::mutex mutex_;
    std::condition_variable wake_;              // the engine
    std::condition_variable earlier_deadline_;  // whoever watches them
    instant watching_until_;
    bool work_ = false;
    bool stopping_ = false;
    bool stopped_ = false;  // the engine ended
    bool closed_ = true;    // libnats calls no event of ours any more
    std::string why_down_ = "not connected yet";
    listener_id last_listener_ = 0;
    outbox outbox_;
    std::map<listener_id, registration> listeners_;
    std::vector<listener_id> to_subscribe_;
    std::vector<std::unique_ptr<connection::subscription>> to_drop_;

    // Of the engine thread alone.
    std::unique_ptr<connection> connection_;
    instant connect_at_;
    backoff connect_pause_;

    std::thread engine_;
    std::thread watch_;
};

}  // namespace muster::nats
