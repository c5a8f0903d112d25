#pragma once

#include "base/time.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::stream {

// Ids of recently published messages, so that a repeated publish stores nothing. Bounded in time
// and number; drops the oldest id when full.
class recent_ids {
public:
    struct limits {
        monotonic::duration span = std::chrono::minutes(2);
        std::size_t ids_max = 100'000;
    };
    struct entry {
        std::string id;
        std::uint64_t sequence = 0;
        instant at;
    };

    explicit recent_ids(limits bounds) : limits_(bounds) {}
    recent_ids(const recent_ids&) = delete;  // holds iterators into its own map
    recent_ids& operator=(const recent_ids&) = delete;
    recent_ids(recent_ids&&) = default;
    recent_ids& operator=(recent_ids&&) = default;
    ~recent_ids() = default;

    // The sequence of the message with this id, if remembered.
    std::optional<std::uint64_t> find(const std::string& id) const;

    // `entry.id` must be new; `entry.at` never decreases.
    void remember(entry entry);
    void expire(instant now);

    std::vector<entry> entries() const;
    std::size_t size() const { return order_.size(); }

private:
    using sequences = std::map<std::string, std::uint64_t>;
    struct id_age {
        sequences::iterator it;
        instant at;
    };

    void forget_oldest();

    limits limits_;
    sequences sequences_;
    std::deque<id_age> order_;
};

}  // namespace muster::stream
