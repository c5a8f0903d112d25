#pragma once

#include <chrono>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>

namespace muster::jobs {

// How long tasks took, by what they ran: mean and deviation without keeping the single times.
// Bounded: beyond the limit what is new is not learned.
class duration_history {
public:
    static constexpr std::size_t kinds_max = 1'000;

    struct measured {
        double mean = 0;       // seconds
        double deviation = 0;  // standard deviation
        std::size_t samples = 0;
    };

    void add(const std::string& kind, std::chrono::duration<double> took) {
        const auto it = kinds_.find(kind);
        if (it == kinds_.end() && kinds_.size() >= kinds_max) return;
        auto& existing = it == kinds_.end() ? kinds_[kind] : it->second;
        ++existing.samples;
        const double away = took.count() - existing.mean;
        existing.mean += away / static_cast<double>(existing.samples);
        existing.squares += away * (took.count() - existing.mean);
    }

    // What is known from elsewhere, of a kind that nothing was learned of here yet.
    void seed(const std::string& kind, const measured& measured) {
        if (measured.samples == 0 || kinds_.contains(kind) || kinds_.size() >= kinds_max) return;
        const auto samples = static_cast<double>(measured.samples);
        kinds_[kind] = {
            .mean = measured.mean,
            .squares = measured.deviation * measured.deviation * samples,
            .samples = measured.samples};
    }

    measured of(const std::string& kind) const {
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
        double squares = 0;  // of what is away from the mean
        std::size_t samples = 0;
    };
    std::map<std::string, sums> kinds_;
};

}  // namespace muster::jobs
