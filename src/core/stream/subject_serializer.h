#pragma once

#include "core/stream/message.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::stream {

// Provides the message order of ports/bus.h on an engine that delivers several messages of a
// subject at once and repeats overdue ones individually. Not thread-safe.
//
// Per subject only the earliest message is delivered. The next follows when the engine confirms the
// acknowledgement of the previous one. A repeated message is delivered again, unless its
// acknowledgement is in flight or was confirmed recently.
//
// hold() stops all deliveries. Use it when deliveries may be lost between engine and reader: an
// earlier message may be among them.
class subject_serializer {
public:
    subject_serializer() = default;
    subject_serializer(const subject_serializer&) = delete;
    subject_serializer& operator=(const subject_serializer&) = delete;

    // Number of confirmed sequences to remember, to detect an engine that lost them.
    static constexpr std::size_t settled_max = 10'000;

    enum class arrival {
        queued,        // waits for its turn
        acknowledged,  // the engine lost or has not seen the acknowledgement: send it again
    };
    arrival on_delivery(delivery delivery);

    // Deliveries that may go now, oldest first. Empty while held.
    std::vector<delivery> pop_ready(std::size_t messages_max);

    // The reader processed the message. False if the message is not delivered.
    bool acknowledge(std::uint64_t sequence);
    // The engine will not deliver the message again.
    void on_confirmed(std::uint64_t sequence);

    void hold() { held_ = true; }
    void release() { held_ = false; }
    bool is_held() const { return held_; }
    bool has_ready() const { return !held_ && !ready_.empty(); }

    // Sequences that arrived and are not confirmed, in order.
    std::vector<std::uint64_t> unconfirmed() const;
    std::size_t unconfirmed_count() const { return subjects_.size(); }

private:
    struct subject_queue {
        std::map<std::uint64_t, delivery> waiting;
        std::optional<std::uint64_t> delivered;
        std::optional<std::uint64_t> ready;  // the key of this queue in ready_
    };

    void refresh(subject_queue& queue);
    void remember(std::uint64_t sequence);

    std::map<std::string, subject_queue> queues_;
    std::map<std::uint64_t, std::string> subjects_;  // of all unconfirmed messages
    std::map<std::uint64_t, subject_queue*> ready_;
    std::set<std::uint64_t> acknowledging_;
    std::set<std::uint64_t> settled_;
    std::deque<std::uint64_t> settled_order_;
    bool held_ = false;
};

}  // namespace muster::stream
