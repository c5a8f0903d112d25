#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/stream/message.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::stream {

struct consumer_options {
    static constexpr std::size_t name_bytes_max = 64;
    static constexpr std::chrono::milliseconds ack_wait_min = std::chrono::milliseconds(100);
    static constexpr std::chrono::milliseconds ack_wait_max = std::chrono::hours(1);

    std::string name;     // letters, digits, '-' and '_'
    std::string pattern;  // as of subject.h
    std::chrono::milliseconds ack_wait = std::chrono::seconds(30);

    friend bool operator==(const consumer_options&, const consumer_options&) = default;
};

result<void> validate(const consumer_options& options);
result<void> validate_consumer_name(const std::string& name);

// A message that a consumer has not acknowledged yet.
struct pending_message {
    std::uint64_t sequence = 0;
    std::uint32_t attempts = 0;  // deliveries so far

    friend bool operator==(const pending_message&, const pending_message&) = default;
};

// Messages that a durable consumer still has to receive or to acknowledge. Not thread-safe.
//
// Messages of one subject form a queue in stream order. Only the first of a queue may be delivered;
// the next follows after its acknowledgement. After `ack_wait` an unacknowledged message is
// delivered again.
class consumer {
public:
    explicit consumer(consumer_options options) : options_(std::move(options)) {}
    consumer(const consumer&) = delete;  // holds iterators into its own maps
    consumer& operator=(const consumer&) = delete;
    consumer(consumer&&) = default;
    consumer& operator=(consumer&&) = default;
    ~consumer() = default;

    const consumer_options& options() const { return options_; }
    void set_ack_wait(std::chrono::milliseconds ack_wait) { options_.ack_wait = ack_wait; }

    // Appends a message to its queue. Sequences must grow. `attempts` is not zero after a restore.
    void add_pending(const std::string& subject, pending_message message);

    // The message was acknowledged, or the stream dropped it.
    void remove(std::uint64_t sequence);
    // Also true for overdue messages: a late acknowledgement counts.
    bool was_delivered(std::uint64_t sequence) const;

    // Marks the next messages as delivered and returns them, oldest first.
    std::vector<pending_message> deliver_next(std::size_t messages_max, instant now);

    // Overdue messages become ready again.
    void expire(instant now);
    std::optional<instant> next_deadline() const;

    // All delivered messages become ready again, because their reader is gone.
    void release();

    bool has_ready() const { return !ready_.empty(); }
    std::vector<pending_message> pending() const;

private:
    struct subject_queue {
        std::deque<std::uint64_t> sequences;
    };
    using subject_queues = std::map<std::string, subject_queue>;
    struct pending_entry {
        subject_queues::iterator queue;
        std::uint32_t attempts = 0;
    };

    void make_ready(std::uint64_t sequence);

    consumer_options options_;
    subject_queues queues_;
    std::map<std::uint64_t, pending_entry> pending_;
    std::set<std::uint64_t> ready_;                    // first of their queue and not delivered
    std::map<std::uint64_t, instant> unacknowledged_;  // by sequence; when it is overdue
    std::set<std::pair<instant, std::uint64_t>> deadlines_;  // the same, ordered by time
};

}  // namespace muster::stream
