#pragma once

#include "base/time.h"
#include "core/session/reason.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace muster::swarm {

// What all agents of a swarm have been through. Thread-safe.
struct swarm_counters {
    using count = std::atomic<std::uint64_t>;
    static constexpr std::size_t reasons = 32;
    static constexpr std::size_t attaches_kept_max = 1'000'000;

    count attached_now = 0;
    count attaches = 0;
    count beats = 0;
    count tasks = 0;          // answered
    count reports_taken = 0;  // of them, on record
    count knocks = 0;
    count enrolments = 0;
    count places = 0;
    count unplaced = 0;
    count failures = 0;  // requests and connections that came to nothing
    count stopped = 0;   // deleted
    std::array<count, reasons> endings{};

    void ended(session::reason why) {
        const auto at = static_cast<std::size_t>(why);
        ++endings.at(at < reasons ? at : 0);
    }

    void attached_after(monotonic::duration span) {
        ++attaches;
        const std::lock_guard lock(guard_);
        if (spans_.size() < attaches_kept_max) spans_.push_back(span);
    }

    // The time from opening a connection to the welcome that `percent` of the attaches kept.
    monotonic::duration attach_time(std::size_t percent) const {
        const std::lock_guard lock(guard_);
        if (spans_.empty()) return {};
        auto sorted = spans_;
        std::ranges::sort(sorted);
        return sorted[std::min(sorted.size() - 1, sorted.size() * percent / 100)];
    }

    void failed(const std::string& why) {
        ++failures;
        const std::lock_guard lock(guard_);
        last_failure_ = why;
    }
    std::string last_failure() const {
        const std::lock_guard lock(guard_);
        return last_failure_;
    }

private:
    mutable std::mutex guard_;
    std::vector<monotonic::duration> spans_;
    std::string last_failure_;
};

}  // namespace muster::swarm
