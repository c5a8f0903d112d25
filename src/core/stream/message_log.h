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

struct message_log_limits {
    std::size_t messages_max = 1'000'000;
    std::size_t bytes_max = std::size_t{1} << 30;
    monotonic::duration age_max = std::chrono::days(7);
    recent_ids::limits deduplication = {};
    std::size_t consumers_max = 256;
};

struct receipt {
    std::uint64_t sequence = 0;  // of the first message with this id if it is a duplicate
    bool duplicate = false;
};

// Each opening of a consumer gets a new number; only the newest reader may read.
using reader_number = number<struct reader_number_tag>;

struct stored_message {
    stream::message message;
    std::uint64_t sequence = 0;
    instant at;
};

// Complete state of a log as plain data. Instants refer to the clock of the log that created it.
struct message_log_snapshot {
    struct consumer_state {
        consumer_options options;
        std::vector<pending_message> pending;
        reader_number reader;
    };

    instant taken_at;
    std::uint64_t sequence_last = 0;
    std::vector<stored_message> messages;
    std::vector<recent_ids::entry> ids;
    std::vector<consumer_state> consumers;
};

// The reference model of the bus (ports/bus.h): a bounded stream and its durable consumers.
// Pure: the caller passes `now`, which never decreases. Not thread-safe.
//
// - Beyond a limit the oldest messages are dropped, read or not.
// - The same id within the deduplication span is stored once.
// - A new consumer starts at the oldest stored message. Opening it again takes it over: earlier
//   readers get errc::conflict. Deliveries of an earlier reader stay unacknowledged until they are
//   overdue, unless that reader was closed.
class message_log {
public:
    explicit message_log(message_log_limits limits);

    result<receipt> publish(message message, instant now);

    result<reader_number> open_consumer(const consumer_options& options, instant now);
    result<void> delete_consumer(const std::string& name);  // errc::not_found if unknown

    struct read_request {
        std::string consumer;
        reader_number reader;
        std::size_t messages_max = 1;
    };
    result<std::vector<delivery>> fetch(const read_request& request, instant now);

    // Skips sequences that are not pending or were never delivered.
    result<void> acknowledge(
        const std::string& consumer_name,
        reader_number reader,
        const std::vector<std::uint64_t>& sequences);

    // The reader is gone: its deliveries may be repeated at once. No effect after a takeover.
    void close_reader(const std::string& consumer_name, reader_number reader);

    // Releases overdue deliveries; drops old messages and ids.
    void expire(instant now);
    std::optional<instant> next_deadline() const;

    std::size_t size() const { return messages_.size(); }
    std::size_t size_bytes() const { return bytes_; }
    std::uint64_t sequence_last() const { return sequence_last_; }
    std::vector<std::string> consumer_names() const;

    message_log_snapshot snapshot(instant now) const;

    // Unacknowledged deliveries may be repeated at once. Messages keep their age. errc::corrupt
    // when the snapshot is inconsistent.
    static result<message_log> restore(
        message_log_limits limits, message_log_snapshot saved, instant now);

private:
    struct consumer_entry {
        consumer state;
        reader_number reader;
    };

    static std::size_t size_bytes_of(const message& message);
    void append(stored_message stored);
    void drop_oldest();
    const stored_message& stored_at(std::uint64_t sequence) const;
    result<consumer_entry*> find(const std::string& consumer_name, reader_number reader);

    message_log_limits limits_;
    std::deque<stored_message> messages_;  // sequences without gaps
    std::size_t bytes_ = 0;
    std::uint64_t sequence_last_ = 0;
    recent_ids ids_;
    std::map<std::string, consumer_entry> consumers_;
};

}  // namespace muster::stream
