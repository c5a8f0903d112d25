#pragma once

#include "base/result.h"
#include "core/model/job.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::events {

// Selects events. There are two sources: the ledger's events, and the
// returns, which are the rows of tasks that ended, in the order in which they were written.
struct event_filter {
    std::vector<std::string> kinds;  // of the events, each in full; none: no events at all
    bool returns = false;
    std::optional<job_id> job = std::nullopt;
    std::optional<std::int64_t> system = std::nullopt;

    bool wants_events() const { return !kinds.empty(); }
    // A filter for all kinds needs no condition on the kind.
    bool wants_all_kinds() const;

    friend bool operator==(const event_filter&, const event_filter&) = default;
};

struct filter_limits {
    static constexpr std::size_t patterns_max = 50;
};

// Parses kinds such as "job.done", "node.*", "return" or "*" (all). An empty list means all events
// and no returns. errc::invalid, with the known kinds, for an unknown kind.
result<event_filter> filter_of(const std::vector<std::string>& patterns);

// The same from one text with commas.
result<event_filter> filter_of(std::string_view patterns);

}  // namespace muster::events
