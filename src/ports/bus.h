#pragma once

#include "core/stream/consumer.h"
#include "core/stream/message.h"
#include "ports/async.h"
#include "ports/limit_hits.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace muster {

// Receives the messages that are published while the subscription is open. On a cluster of engines
// it may start a moment later. One next() at a time.
// - Bounded: a slow reader loses the oldest messages; missed() counts them.
// - Messages published while the engine is not connected are lost and not counted.
// - A message published twice under one id may be received twice.
class bus_subscription {
public:
    bus_subscription() = default;
    bus_subscription(const bus_subscription&) = delete;
    bus_subscription& operator=(const bus_subscription&) = delete;
    virtual ~bus_subscription() = default;

    virtual async<stream::message> next() = 0;
    virtual std::uint64_t missed() const = 0;
};

// Reads a stream from a named position that outlives the reader.
// - At least once: a delivery that is not acknowledged within `ack_wait` is delivered again, also
//   after a restart of either side. A crashed engine may also repeat messages acknowledged shortly
//   before.
// - Ordered: while a message of a subject is unacknowledged, no later one of it is delivered.
// - One reader: opening the consumer again takes it over. Calls on the earlier reader end with
//   errc::conflict. Its unacknowledged messages are delivered again when they are overdue, or at
//   once when that reader was destroyed.
// - One fetch() at a time.
class bus_consumer {
public:
    bus_consumer() = default;
    bus_consumer(const bus_consumer&) = delete;
    bus_consumer& operator=(const bus_consumer&) = delete;
    virtual ~bus_consumer() = default;

    // Returns up to `messages_max` deliveries as soon as there are any; none when `wait` has
    // passed. errc::not_found when the consumer was deleted.
    virtual async<std::vector<stream::delivery>> fetch(
        std::size_t messages_max, std::chrono::milliseconds wait) = 0;

    // Ignores sequences that are not pending. After an error they may be delivered again.
    virtual async<void> acknowledge(std::vector<std::uint64_t> sequences) = 0;
};

using stream::consumer_options;

// Notifies servers and third parties. Correctness must not depend on it.
// Model: core/stream/message_log.h; contract: ports/contract/bus_contract.h.
//
// Guarantees:
// - After publish() succeeded, every durable consumer of the subject gets the message, unless the
//   bounded stream deletes it first (oldest first).
// - errc::unavailable: the message was not stored. errc::timed_out: it may have been.
// - Methods may be called from any thread; each completes on its caller's executor.
//
// Subscriptions and consumers must be destroyed before their bus.
//
// Patterns: dotted words, `*` is any one word, a last `>` is one or more words.
class bus {
public:
    bus() = default;
    bus(const bus&) = delete;
    bus& operator=(const bus&) = delete;
    virtual ~bus() = default;

    virtual async<void> publish(stream::message message) = 0;
    virtual async<std::unique_ptr<bus_subscription>> subscribe(std::string pattern) = 0;

    // Opens the consumer, or creates it at the oldest stored message. errc::conflict when it exists
    // with another pattern.
    virtual async<std::unique_ptr<bus_consumer>> consume(consumer_options options) = 0;
    virtual async<void> delete_consumer(std::string name) = 0;  // not_found when there is none

    // Checks that the engine accepts messages, without storing or delivering one.
    // errc::unavailable when it does not, or does not respond in time.
    virtual async<void> ping() = 0;

    // How often limits of the adapter were hit; zero for an adapter without limits.
    virtual limit_hits hits() const { return {}; }
};

}  // namespace muster
