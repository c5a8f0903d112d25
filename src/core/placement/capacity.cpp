#include "core/placement/capacity.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace muster::placement {
namespace {

double median_of(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

}  // namespace

void capacity_gauge::observe(node_number node, const load_sample& sample) {
    if (sample.seconds <= 0 || sample.cores <= 0 || sample.systems < systems_min) return;
    const double cores_used = std::max(sample.cpu_seconds / sample.seconds, cpu_min);
    const double capacity = sample.cores * sample.systems / cores_used;
    const auto [it, added] = measured_.emplace(node, capacity);
    if (!added) it->second += smoothing * (capacity - it->second);
}

void capacity_gauge::forget(node_number node) {
    measured_.erase(node);
    reported_.erase(node);
}

std::map<node_number, std::uint64_t> capacity_gauge::capacities() {
    if (measured_.empty()) return {};
    std::vector<double> values;
    for (const auto& [node, capacity] : measured_) values.push_back(capacity);
    const double median = median_of(std::move(values));
    for (const auto& [node, capacity] : measured_) {
        const double ratio = std::clamp(capacity / median, 0.25, 4.0);
        const double updated = ratio * static_cast<double>(median_capacity);
        const auto [it, added] = reported_.emplace(node, median_capacity);
        const auto previous = static_cast<double>(it->second);
        if (std::abs(updated - previous) > change_min * previous)
            it->second = static_cast<std::uint64_t>(updated);
    }
    return reported_;
}

}  // namespace muster::placement
