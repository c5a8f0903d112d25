#pragma once

#include "adapters/bus/memory/memory_bus.h"
#include "runtime/async_event.h"

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace muster {

// The stream that all readers of a memory_bus share. Thread-safe; notifies outside the lock.
class memory_bus::shared_stream {
public:
    shared_stream(muster::clock& clock, memory_bus_options options);

    muster::clock& clock() { return clock_; }

    result<void> publish(stream::message message);
    limit_hits hits() const { return hits_.read(); }

    // A live subscription, from opening to closing.
    struct listener {
        listener(std::string pattern, stream::feed_limits limits)
            : feed(std::move(pattern), limits) {}
        stream::feed feed;
        runtime::async_event wakeup;
    };
    std::shared_ptr<listener> add_listener(std::string pattern);
    void remove_listener(const std::shared_ptr<listener>& listener);
    std::optional<stream::message> pop_message(listener& listener);
    std::uint64_t missed_count(const listener& listener) const;

    // A reader of a durable consumer, from opening to closing.
    struct reader {
        std::string consumer;
        stream::reader_number number;
        runtime::async_event wakeup;
    };
    result<std::shared_ptr<reader>> open(const consumer_options& options);
    void close(const std::shared_ptr<reader>& reader);
    result<std::vector<stream::delivery>> fetch(reader& reader, std::size_t messages_max);
    result<void> acknowledge(reader& reader, const std::vector<std::uint64_t>& sequences);
    result<void> delete_consumer(const std::string& name);

    // When the next unacknowledged message is delivered again.
    std::optional<instant> next_deadline() const;

private:
    // Empty: the readers of all consumers.
    void notify_readers(const std::string& consumer);

    muster::clock& clock_;
    stream::feed_limits feed_limits_;
    mutable std::mutex mutex_;
    stream::message_log log_;
    std::list<std::shared_ptr<listener>> listeners_;
    std::list<std::shared_ptr<reader>> readers_;
    limit_counter hits_;
};

}  // namespace muster
