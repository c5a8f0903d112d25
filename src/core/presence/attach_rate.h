#pragma once

#include "base/time.h"

#include <cstdint>
#include <deque>

namespace muster::presence {

// The rate of attaches over the last seconds, computed from samples of a total. Not thread-safe.
class attach_rate {
public:
    static constexpr auto window = std::chrono::seconds(10);
    static constexpr std::size_t samples_max = 32;

    // Adds a sample and returns the rate; zero until two samples are far enough apart.
    double update(instant now, std::uint64_t total) {
        if (!samples_.empty() && total < samples_.back().total)
            samples_.clear();  // the counter restarted
        if (samples_.empty() || now - samples_.back().at >= std::chrono::milliseconds(500))
            samples_.push_back({now, total});
        while (samples_.size() > samples_max
               || (samples_.size() > 2 && now - samples_[1].at >= window))
            samples_.pop_front();
        const auto span = std::chrono::duration<double>(now - samples_.front().at).count();
        const auto first_total = samples_.front().total;
        if (span <= 0) return 0;
        return static_cast<double>(total - first_total) / span;
    }

private:
    struct sample {
        instant at;
        std::uint64_t total = 0;
    };
    std::deque<sample> samples_;
};

}  // namespace muster::presence
