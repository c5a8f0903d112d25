#pragma once

#include "core/stream/message.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

namespace muster::stream {

struct feed_limits {
    std::size_t messages_max = 4096;
    std::size_t bytes_max = std::size_t{16} << 20;  // a single message may exceed it
};

// Queue of a live subscription. Drops and counts the oldest messages when the reader is too slow.
// Not thread-safe.
class feed {
public:
    feed(std::string pattern, feed_limits limits) : pattern_(std::move(pattern)), limits_(limits) {}

    const std::string& pattern() const { return pattern_; }

    void push(message message);
    std::optional<message> pop();
    std::uint64_t missed() const { return missed_; }

private:
    void drop_oldest();

    std::string pattern_;
    feed_limits limits_;
    std::deque<message> waiting_;
    std::size_t bytes_ = 0;
    std::uint64_t missed_ = 0;
};

}  // namespace muster::stream
