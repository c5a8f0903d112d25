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

// The ids of messages published lately, so that a repeated publish stores nothing. Bounded in time
// and in number: when full, the oldest id is forgotten first.
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
    recent_ids(const recent_ids&) = delete;  // it keeps places inside its own map
    recent_ids& operator=(const recent_ids&) = delete;
    recent_ids(recent_ids&&) = default;
    recent_ids& operator=(recent_ids&&) = default;
    ~recent_ids() = default;

    // The message published under this id, when it is remembered.
    std::optional<std::uint64_t> find(const std::string& id) const;

    // `id` must not be remembered already; `what.at` never goes back.
    void remember(entry entry);
    void expire(instant now);

    std::vector<entry> entries() const;
    std::size_t size() const { return order_.size(); }

private:
    using sequences = std::map<std::string, std::uint64_t>;
    struct remembered {
        sequences::iterator what;
        instant at;
    };

    void forget_oldest();

    limits limits_;
    sequences sequences_;
    std::deque<remembered> order_;
};

}  // namespace muster::stream
