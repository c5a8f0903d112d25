#include "core/jobs/progress_meter.h"

namespace muster::jobs {

void progress_meter::add_sample(std::uint64_t ended, instant now) {
    if (samples_.size() >= 2 && now - samples_[samples_.size() - 2].at < step) {
        samples_.back() = {.at = now, .ended = ended};
        return;
    }
    samples_.push_back({.at = now, .ended = ended});
    while (samples_.size() > 2 && now - samples_[1].at >= span) samples_.pop_front();
}

std::optional<double> progress_meter::rate(instant now) const {
    if (samples_.size() < 2) return std::nullopt;
    const auto& first = samples_.front();
    const auto elapsed = std::chrono::duration<double>(now - first.at).count();
    if (elapsed <= 0 || samples_.back().ended < first.ended) return std::nullopt;
    return static_cast<double>(samples_.back().ended - first.ended) / elapsed;
}

std::optional<monotonic::duration> progress_meter::time_left(
    std::uint64_t remaining, instant now) const {
    constexpr double longest = 366.0 * 24 * 3600;
    const auto speed = rate(now);
    if (!speed || *speed <= 0) return std::nullopt;
    const auto seconds = static_cast<double>(remaining) / *speed;
    if (seconds > longest) return std::nullopt;
    return std::chrono::duration_cast<monotonic::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace muster::jobs
