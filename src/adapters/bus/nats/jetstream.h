#pragma once

#include "adapters/bus/nats/link.h"
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

// Where a durable consumer stands, as its server sees it.
struct consumer_state {
    std::string pattern;               // without our prefix
    std::uint64_t delivered_last = 0;  // delivery_mark::consumer_sequence
    std::uint64_t unacknowledged = 0;
};

// The part of the JetStream API that the bus needs, as requests over a link. Every call ends within
// options::timeout, or twice that when the stream has to be made first. Thread-safe.
class jetstream {
public:
    jetstream(link& over, const options& options) : link_(over), options_(options) {}

    async<void> publish(stream::message message);
    async<void> ping();  // whether the stream's leader answers

    async<consumer_state> open_consumer(consumer_options options);  // makes or updates it
    async<consumer_state> look_at_consumer(std::string name);       // not_found when there is none
    async<void> delete_consumer(std::string name);

    // Asks for deliveries; they arrive at `inbox`, as does a status when the request ends.
    struct pull {
        std::string consumer;
        std::string inbox;
        std::size_t messages_max = 1;
        monotonic::duration expires;
    };
    void ask(const pull& pull);

    // Ends when the server has noted all of them, given the reply subjects of the deliveries.
    async<void> acknowledge(std::vector<std::string> replies);
    result<void> acknowledge_unconfirmed(std::string reply);
    void release_memory(
        std::string reply, monotonic::duration delay);  // deliver it again after that
    void stop_listening(link::listener_id listener_id) { link_.ignore(listener_id); }

    std::string wire_subject(const std::string& subject) const;
    std::string subject_of(const std::string& wire) const;
    std::string takeover_subject(const std::string& consumer) const;
    monotonic::duration timeout() const { return options_.timeout; }

private:
    async<void> ready();
    async<void> make_stream();
    result<void> check_ours(const std::string& info) const;
    async<std::string> call(std::string text, std::string payload);
    std::string stream_config() const;
    std::string consumer_config(const consumer_options& options) const;

    link& link_;
    const options& options_;
    std::atomic<bool> stream_made_ = false;
};

}  // namespace muster::nats
