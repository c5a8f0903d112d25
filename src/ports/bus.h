#pragma once

#include "core/stream/message.h"
#include "ports/async.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace muster {

// A live feed: messages published after it was opened, while it is open. Bounded: a reader that is
// too slow loses the oldest and is told how many. One next() at a time.
class bus_subscription {
public:
    bus_subscription() = default;
    bus_subscription(const bus_subscription&) = delete;
    bus_subscription& operator=(const bus_subscription&) = delete;
    virtual ~bus_subscription() = default;

    virtual async<stream::message> next() = 0;
    virtual std::uint64_t missed() const = 0;
};

// A named place in the stream that outlives its reader. At least once: a delivery that is not
// acknowledged within the consumer's `ack_wait` comes again, also after a restart of either side.
// Ordered: while a message of a subject is out, no later one of the same subject is handed over.
class bus_consumer {
public:
    bus_consumer() = default;
    bus_consumer(const bus_consumer&) = delete;
    bus_consumer& operator=(const bus_consumer&) = delete;
    virtual ~bus_consumer() = default;

    // Up to `messages_max` deliveries; fewer, possibly none, when `wait` has passed.
    virtual async<std::vector<stream::delivery>> fetch(
        std::size_t messages_max, std::chrono::milliseconds wait) = 0;
    virtual async<void> acknowledge(std::vector<std::uint64_t> sequences) = 0;
};

struct consumer_options {
    std::string name;     // letters, digits, '-' and '_'
    std::string pattern;  // as for subscribe()
    std::chrono::milliseconds ack_wait = std::chrono::seconds(30);
};

// The doorbell between servers and third parties (DESIGN §2): no correctness may rest on it.
// core/stream/log.h is the model of what it means; contract: ports/contract/bus_contract.h.
//
// Promises:
// - publish() that answers well: every durable consumer of the subject will get the message, unless
//   the bounded stream let go of it first (oldest go first).
// - errc::unavailable: the message was not taken; errc::timed_out: it may have been.
// - Methods may be called from any thread; each completes on its caller's executor.
//
// Patterns: dotted words, `*` is any one word, a last `>` is one or more words.
class bus {
public:
    bus() = default;
    bus(const bus&) = delete;
    bus& operator=(const bus&) = delete;
    virtual ~bus() = default;

    virtual async<void> publish(stream::message what) = 0;
    virtual async<std::unique_ptr<bus_subscription>> subscribe(std::string pattern) = 0;

    // Opens the consumer, making it when it is new: it then starts at the oldest message kept.
    virtual async<std::unique_ptr<bus_consumer>> consume(consumer_options options) = 0;
    virtual async<void> forget_consumer(std::string name) = 0;
};

}  // namespace muster
