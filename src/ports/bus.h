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

// A live feed: messages published after it was opened, while it is open; on a cluster of engines it
// may begin a moment later. Bounded: a reader that is too slow loses the oldest and is told how
// many. What is published while the link to the engine is down is lost and not counted. A message
// published twice under one id may be seen twice. One next() at a time.
class bus_subscription {
public:
    bus_subscription() = default;
    bus_subscription(const bus_subscription&) = delete;
    bus_subscription& operator=(const bus_subscription&) = delete;
    virtual ~bus_subscription() = default;

    virtual async<stream::message> next() = 0;
    virtual std::uint64_t missed() const = 0;
};

// A named place in the stream that outlives its reader.
// - At least once: a delivery that is not acknowledged within the consumer's `ack_wait` comes
//   again, also after a restart of either side. An engine that crashed may also repeat what was
//   acknowledged just before.
// - Ordered: while a message of a subject is out, no later one of the same subject is handed over.
// - One reader: opening the consumer again takes it over, and calls on the earlier reader end with
//   errc::conflict. What the earlier reader has out comes again when it is overdue, and at once
//   when that reader was destroyed.
// - One fetch() at a time.
class bus_consumer {
public:
    bus_consumer() = default;
    bus_consumer(const bus_consumer&) = delete;
    bus_consumer& operator=(const bus_consumer&) = delete;
    virtual ~bus_consumer() = default;

    // Up to `messages_max` deliveries, as soon as there are any; none when `wait` has passed.
    // errc::not_found when the consumer was forgotten.
    virtual async<std::vector<stream::delivery>> fetch(
        std::size_t messages_max, std::chrono::milliseconds wait) = 0;

    // Sequences that are not out are skipped. After an error they may come again.
    virtual async<void> acknowledge(std::vector<std::uint64_t> sequences) = 0;
};

using stream::consumer_options;

// The doorbell between servers and third parties: no correctness may rest on it.
// core/stream/log.h is the model of what it means; contract: ports/contract/bus_contract.h.
//
// Promises:
// - publish() that answers well: every durable consumer of the subject will get the message, unless
//   the bounded stream let go of it first (oldest go first).
// - errc::unavailable: the message was not taken; errc::timed_out: it may have been.
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

    // Opens the consumer, making it when it is new: it then starts at the oldest message kept.
    // errc::conflict when it exists with another pattern.
    virtual async<std::unique_ptr<bus_consumer>> consume(consumer_options options) = 0;
    virtual async<void> forget_consumer(std::string name) = 0;  // not_found when there is none

    // Asks the engine whether it would take a message now. Stores nothing, and nobody hears of it.
    // errc::unavailable when it would not, or does not say so in time.
    virtual async<void> ping() = 0;

    // How often limits of its own were hit; an engine without any has none to tell.
    virtual limit_hits hits() const { return {}; }
};

}  // namespace muster
