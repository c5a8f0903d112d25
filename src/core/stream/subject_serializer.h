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

// Keeps the order promise of ports/bus.h in front of an engine that does not: one that delivers
// several messages of a subject ahead, and repeats them one by one when they are overdue.
//
// Of one subject only the earliest message that arrived may be out; the next goes when the engine
// has confirmed the acknowledgement of the one before. A message that arrives again goes again, but
// never while its acknowledgement is on its way or when it was confirmed lately.
//
// The gate can be held: when deliveries may have been lost between engine and reader, nothing may
// go until they came again, because an earlier message may be among them.
class subject_serializer {
public:
    subject_serializer() = default;
    subject_serializer(const subject_serializer&) = delete;
    subject_serializer& operator=(const subject_serializer&) = delete;

    // How many confirmed sequences are remembered, to recognise an engine that forgot them.
    static constexpr std::size_t settled_max = 10'000;

    enum class arrival {
        taken,         // it waits for its turn
        acknowledged,  // the engine forgot, or has not seen, its acknowledgement: send it again
    };
    arrival arrived(delivery delivery);

    // What may go now, oldest first. Empty while held.
    std::vector<delivery> take(std::size_t messages_max);

    // The reader is done with it. False when it is not out: there is nothing to acknowledge.
    bool acknowledge(std::uint64_t sequence);
    // The engine will not deliver it again.
    void confirmed(std::uint64_t sequence);

    void hold() { held_ = true; }
    void release() { held_ = false; }
    bool held() const { return held_; }
    bool anything_ready() const { return !held_ && !ready_.empty(); }

    // All that arrived and is not confirmed, in order.
    std::vector<std::uint64_t> unconfirmed() const;
    std::size_t unconfirmed_count() const { return subjects_.size(); }

private:
    struct lane {
        std::map<std::uint64_t, delivery> waiting;
        std::optional<std::uint64_t> out;
        std::optional<std::uint64_t> ready;  // what stands in ready_ for this lane
    };

    void refresh(lane& of);
    void remember(std::uint64_t sequence);

    std::map<std::string, lane> lanes_;
    std::map<std::uint64_t, std::string> subjects_;  // of all unconfirmed
    std::map<std::uint64_t, lane*> ready_;
    std::set<std::uint64_t> acknowledging_;
    std::set<std::uint64_t> settled_;
    std::deque<std::uint64_t> settled_order_;
    bool held_ = false;
};

}  // namespace muster::stream
