#pragma once

#include "adapters/bus/nats/nats_client.h"
#include "adapters/bus/nats/nats_options.h"
#include "core/stream/message.h"
#include "ports/async.h"
#include "ports/bus.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::nats {

// The state of a durable consumer on its server.
struct consumer_state {
    std::string pattern;               // without options::prefix
    std::uint64_t delivered_last = 0;  // delivery_mark::consumer_sequence
    std::uint64_t unacknowledged = 0;
};

// The part of the JetStream API that the bus needs. Every call ends within options::timeout, or
// twice that when the stream has to be created first. Thread-safe.
class jetstream {
public:
    jetstream(nats_client& client, const options& options) : client_(client), options_(options) {}

    async<void> publish(stream::message message);
    async<void> ping();  // fails if the stream's leader does not respond

    async<consumer_state> open_consumer(consumer_options options);  // creates or updates it
    async<consumer_state> read_consumer(std::string name);          // not_found when there is none
    async<void> delete_consumer(std::string name);

    // Requests deliveries. They arrive at `inbox`, as does a status when the request ends.
    struct pull {
        std::string consumer;
        std::string inbox;
        std::size_t messages_max = 1;
        monotonic::duration expires;
    };
    void request_deliveries(const pull& pull);

    // Takes the reply subjects of the deliveries. Ends when the server has stored all
    // acknowledgements.
    async<void> acknowledge(std::vector<std::string> replies);
    result<void> acknowledge_unconfirmed(std::string reply);
    void release(std::string reply, monotonic::duration delay);  // deliver it again after that
    void unlisten(nats_client::listener_id listener_id) { client_.unlisten(listener_id); }

    std::string to_wire_subject(const std::string& subject) const;
    std::string from_wire_subject(const std::string& wire) const;
    std::string takeover_subject(const std::string& consumer) const;
    monotonic::duration timeout() const { return options_.timeout; }

private:
    async<void> ensure_stream();
    async<void> create_stream();
    result<void> check_stream_owner(const std::string& info) const;
    async<std::string> call(std::string method, std::string payload);
    std::string stream_config() const;
    std::string consumer_config(const consumer_options& options) const;

    nats_client& client_;
    const options& options_;
    std::atomic<bool> stream_ready_ = false;
};

}  // namespace muster::nats
