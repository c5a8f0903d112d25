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

// What a message still owes to a consumer.
struct pending_message {
    std::uint64_t sequence = 0;
    std::uint32_t attempts = 0;  // how often it was handed over so far

    friend bool operator==(const pending_message&, const pending_message&) = default;
};

// Which messages a durable consumer still has to get, and which of them are out at its reader.
//
// Messages of one subject form a lane, in the order of the stream; only the first of a lane may be
// out, and the next may go only when it is acknowledged. An unacknowledged one may go again when
// `ack_wait` has passed since it went out.
class consumer {
public:
    explicit consumer(consumer_options options) : options_(std::move(options)) {}
    consumer(const consumer&) = delete;  // it keeps places inside its own maps
    consumer& operator=(const consumer&) = delete;
    consumer(consumer&&) = default;
    consumer& operator=(consumer&&) = default;
    ~consumer() = default;

    const consumer_options& options() const { return options_; }
    void set_ack_wait(std::chrono::milliseconds ack_wait) { options_.ack_wait = ack_wait; }

    // Appends a message to its lane. Sequences only grow. `attempts` is not zero after a restore.
    void owe(const std::string& subject, pending_message pending_message);

    // The stream let go of the message, or it was acknowledged: either way it is owed no more.
    void settle(std::uint64_t sequence);
    // Also true when it is overdue: a late acknowledgement is one all the same.
    bool was_handed_over(std::uint64_t sequence) const;

    // The next ones to hand over, oldest first.
    std::vector<pending_message> take(std::size_t messages_max, instant now);

    // What is out and overdue may go again.
    void expire(instant now);
    std::optional<instant> next_deadline() const;

    // All that is out may go again at once: its reader is gone.
    void release();

    bool anything_ready() const { return !ready_.empty(); }
    std::vector<pending_message> owed() const;

private:
    struct lane {
        std::deque<std::uint64_t> sequences;
    };
    using lanes = std::map<std::string, lane>;
    struct place {
        lanes::iterator in;
        std::uint32_t attempts = 0;
    };

    void recall(std::uint64_t sequence);

    consumer_options options_;
    lanes lanes_;
    std::map<std::uint64_t, place> owed_;
    std::set<std::uint64_t> ready_;                        // first of their lane, and not out
    std::map<std::uint64_t, instant> out_;                 // sequence, and when it is overdue
    std::set<std::pair<instant, std::uint64_t>> overdue_;  // the same by time
};

}  // namespace muster::stream
