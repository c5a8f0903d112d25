#pragma once

#include <chrono>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>

namespace muster::jobs {

// Mean and deviation of task durations by kind of work, without storing single durations. Memory is
// bounded: new kinds beyond the limit are ignored. Not thread-safe.
class duration_history {
public:
    static constexpr std::size_t kinds_max = 1'000;

    struct statistics {
        double mean = 0;       // seconds
        double deviation = 0;  // standard deviation
        std::size_t samples = 0;
    };

    void add(const std::string& kind, std::chrono::duration<double> duration) {
        const auto it = kinds_.find(kind);
        if (it == kinds_.end() && kinds_.size() >= kinds_max) return;
        auto& existing = it == kinds_.end() ? kinds_[kind] : it->second;
        ++existing.samples;
        const double difference = duration.count() - existing.mean;
        existing.mean += difference / static_cast<double>(existing.samples);
        existing.squares += difference * (duration.count() - existing.mean);
    }

    // Sets statistics from another source, for a kind without samples here.
    void seed(const std::string& kind, const statistics& known) {
        if (known.samples == 0 || kinds_.contains(kind) || kinds_.size() >= kinds_max) return;
        const auto samples = static_cast<double>(known.samples);
        kinds_[kind] = {
            .mean = known.mean,
            .squares = known.deviation * known.deviation * samples,
            .samples = known.samples};
    }

    statistics find(const std::string& kind) const {
        const auto it = kinds_.find(kind);
        if (it == kinds_.end()) return {};
        const auto& existing = it->second;
        return {
            .mean = existing.mean,
            .deviation = std::sqrt(existing.squares / static_cast<double>(existing.samples)),
            .samples = existing.samples};
    }

private:
    struct sums {
        double mean = 0;
        double squares = 0;  // squared differences from the mean
        std::size_t samples = 0;
    };
    std::map<std::string, sums> kinds_;
};

}  // namespace muster::jobs
