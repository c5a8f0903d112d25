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

// Counts the events of all agents of a swarm. Thread-safe.
struct swarm_counters {
    using count = std::atomic<std::uint64_t>;
    static constexpr std::size_t reasons = 32;
    static constexpr std::size_t attach_times_max = 1'000'000;

    count attached_now = 0;
    count attaches = 0;
    count beats = 0;
    count tasks = 0;          // completed
    count reports_taken = 0;  // reports that a node recorded
    count knocks = 0;         // status requests
    count enrolments = 0;
    count placements = 0;
    count unplaced = 0;
    count failures = 0;  // failed requests and connections
    count stopped = 0;   // deleted
    std::array<count, reasons> endings{};

    void count_ending(session::reason reason) {
        const auto index = static_cast<std::size_t>(reason);
        ++endings.at(index < reasons ? index : 0);
    }

    void count_attach(monotonic::duration duration) {
        ++attaches;
        const std::lock_guard lock(mutex_);
        if (attach_times_.size() < attach_times_max) attach_times_.push_back(duration);
    }

    // The attach time (connect to welcome) that `percent` of the attaches did not exceed.
    monotonic::duration attach_time(std::size_t percent) const {
        const std::lock_guard lock(mutex_);
        if (attach_times_.empty()) return {};
        auto sorted = attach_times_;
        std::ranges::sort(sorted);
        return sorted[std::min(sorted.size() - 1, sorted.size() * percent / 100)];
    }

    void count_failure(const std::string& error) {
        ++failures;
        const std::lock_guard lock(mutex_);
        last_failure_ = error;
    }
    std::string last_failure() const {
        const std::lock_guard lock(mutex_);
        return last_failure_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<monotonic::duration> attach_times_;
    std::string last_failure_;
};

}  // namespace muster::swarm
