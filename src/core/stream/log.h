#pragma once

#include "base/number.h"
#include "base/result.h"
#include "base/time.h"
#include "core/stream/consumer.h"
#include "core/stream/message.h"
#include "core/stream/recent_ids.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::stream {

struct log_limits {
    std::size_t messages_max = 1'000'000;
    std::size_t bytes_max = std::size_t{1} << 30;
    monotonic::duration age_max = std::chrono::days(7);
    recent_ids::limits deduplication = {};
    std::size_t consumers_max = 256;
};

struct receipt {
    std::uint64_t sequence = 0;  // of the first message with this id, when it is a duplicate
    bool duplicate = false;
};

// Each opening of a consumer has a number of its own; only the latest may read.
using reader_number = number<struct reader_number_tag>;

struct stored_message {
    message what;
    std::uint64_t sequence = 0;
    instant at;
};

// Everything a log knows, as plain data. Instants are those of the log that made it.
struct log_snapshot {
    struct consumer_state {
        consumer_options options;
        std::vector<pending_message> owed;
        reader_number reader;
    };

    instant taken_at;
    std::uint64_t sequence_last = 0;
    std::vector<stored_message> messages;
    std::vector<recent_ids::entry> ids;
    std::vector<consumer_state> consumers;
};

// The reference model of the bus (ports/bus.h): a bounded stream and its durable consumers.
// Pure: `now` comes in as an argument and never goes back.
//
// - Oldest messages go first when a limit is passed, whether or not they were read.
// - The same id within the deduplication span is stored once.
// - A new consumer starts at the oldest message kept. Opening it again takes it over: earlier
//   readers get errc::conflict. What an earlier reader has out stays out until it is overdue,
//   unless that reader was closed.
class log {
public:
    explicit log(log_limits limits);

    result<receipt> publish(message message, instant now);

    result<reader_number> open_consumer(const consumer_options& options, instant now);
    result<void> forget_consumer(const std::string& name);  // not_found when there is none

    struct read_request {
        std::string consumer;
        reader_number reader;
        std::size_t messages_max = 1;
    };
    result<std::vector<delivery>> fetch(const read_request& read_request, instant now);

    // Sequences that are not owed, or were never handed over, are skipped.
    result<void> acknowledge(
        const std::string& consumer_name,
        reader_number reader,
        const std::vector<std::uint64_t>& sequences);

    // The reader is gone for good: what it has out may go again at once. No effect when taken over.
    void close_reader(const std::string& consumer_name, reader_number reader);

    // Lets overdue deliveries go again, and old messages and ids go for good.
    void expire(instant now);
    std::optional<instant> next_deadline() const;

    std::size_t size() const { return messages_.size(); }
    std::size_t size_bytes() const { return bytes_; }
    std::uint64_t sequence_last() const { return sequence_last_; }
    std::vector<std::string> consumer_names() const;

    log_snapshot snapshot(instant now) const;

    // Deliveries that were out may go again at once. Ages go on from where they were at the
    // snapshot. errc::corrupt when the snapshot contradicts itself.
    static result<log> restore(log_limits limits, log_snapshot from, instant now);

private:
    struct reading {
        consumer state;
        reader_number reader;
    };

    static std::size_t cost(const message& message);
    void append(stored_message stored_message);
    void drop_oldest();
    const stored_message& at(std::uint64_t sequence) const;
    result<reading*> find(const std::string& consumer_name, reader_number reader);

    log_limits limits_;
    std::deque<stored_message> messages_;  // sequences without gaps
    std::size_t bytes_ = 0;
    std::uint64_t sequence_last_ = 0;
    recent_ids ids_;
    std::map<std::string, reading> consumers_;
};

}  // namespace muster::stream
