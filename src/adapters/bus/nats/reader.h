#pragma once

#include "adapters/bus/nats/frame.h"
#include "adapters/bus/nats/jetstream.h"
#include "core/stream/subject_serializer.h"
#include "ports/bus.h"
#include "runtime/async_event.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace muster::nats {

// The state of a reader of a durable consumer: the deliveries that arrived, the gate that keeps the
// order of subjects, and the state of its pull request.
//
// JetStream numbers the deliveries of a consumer. A gap means that deliveries were lost or went to
// another reader. They are delivered again when they are overdue, so the gate is closed until then.
//
// Thread-safe: client threads add deliveries, a coroutine takes them. Notifies `wakeup` when the
// coroutine should check again.
class reader {
public:
    enum class reader_state { reading, taken_over, deleted, closed };

    reader(nats::jetstream& jetstream, consumer_options options, std::string token);

    const std::string& token() const { return token_; }
    const consumer_options& options() const { return options_; }

    void set_delivery_listener(nats_client::listener_id deliveries) {
        delivery_listener_ = deliveries;
    }

    // Sets the state of the consumer on the server when this reader started.
    void start(const consumer_state& state, instant now);

    void on_delivery(incoming_message message, instant now);  // on the pull inbox
    void on_takeover(const std::string& token);               // a reader opened the same consumer
    void reconnected();                                       // what was asked for will not come

    result<void> check_state() const;
    std::vector<stream::delivery> take(std::size_t messages_max);
    void mark_deleted();

    // What the reading coroutine does next.
    struct next_step {
        std::size_t pull_size = 0;    // ask the server for so many
        bool check_consumer = false;  // call apply_consumer_state()
        instant wake_at;              // when time alone changes something
    };
    next_step plan_next_step(std::size_t messages_max, instant now);
    void on_pull_sent(std::size_t messages, instant expires_at);
    void apply_consumer_state(const consumer_state& consumer_state, instant now);

    // Acknowledging: the reply subjects to send to, then the outcome. Unconfirmed acknowledgements
    // stay until the server confirms them.
    struct acknowledgement {
        std::vector<std::uint64_t> sequences;
        std::vector<std::string> replies;
    };
    acknowledgement acknowledge(const std::vector<std::uint64_t>& sequences);
    acknowledgement take_unconfirmed();
    void on_confirmed(const acknowledgement& acknowledgement);
    void on_unconfirmed(const acknowledgement& acknowledgement);

    // Releases all deliveries to the server. Handlers do nothing afterwards.
    void close(instant now);

    runtime::async_event wakeup;

private:
    void on_pull_end(const incoming_message& status, instant now);
    void on_number(std::uint64_t consumer_sequence, instant now);
    void hold(instant now);
    std::string find_reply(std::uint64_t sequence) const;

    nats::jetstream& jetstream_;
    const consumer_options options_;
    const std::string token_;

    nats_client::listener_id delivery_listener_ = 0;

    mutable std::mutex mutex_;
    reader_state state_ = reader_state::reading;
    stream::subject_serializer serializer_;
    std::map<std::uint64_t, std::string> replies_;  // of all that arrived and is not confirmed
    std::vector<std::uint64_t> unconfirmed_;
    std::uint64_t next_number_ = 0;
    std::size_t pending_pull_size_ = 0;
    instant pull_expires_at_;
    instant hold_ends_;
    instant consumer_check_at_;
    bool pull_unanswered_ = false;  // nobody answered the last pull
};

}  // namespace muster::nats
