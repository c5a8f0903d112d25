#include "core/jobs/progress_meter.h"

namespace muster::jobs {

void progress_meter::note(std::uint64_t ended, instant now) {
    if (kept_.size() >= 2 && now - kept_[kept_.size() - 2].at < step) {
        kept_.back() = {.at = now, .ended = ended};
        return;
    }
    kept_.push_back({.at = now, .ended = ended});
    while (kept_.size() > 2 && now - kept_[1].at >= span) kept_.pop_front();
}

std::optional<double> progress_meter::rate(instant now) const {
    if (kept_.size() < 2) return std::nullopt;
    const auto& first = kept_.front();
    const auto passed = std::chrono::duration<double>(now - first.at).count();
    if (passed <= 0 || kept_.back().ended < first.ended) return std::nullopt;
    return static_cast<double>(kept_.back().ended - first.ended) / passed;
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
