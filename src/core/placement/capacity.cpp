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

void capacity_gauge::observe(node_number node, const load_sample& load_sample) {
    if (load_sample.seconds <= 0 || load_sample.cores <= 0 || load_sample.systems < systems_to_tell)
        return;
    const double used = std::max(load_sample.cpu_seconds / load_sample.seconds, cpu_to_tell);
    const double carried = load_sample.cores * load_sample.systems / used;
    const auto [known, is_new] = measured_.emplace(node, carried);
    if (!is_new) known->second += smoothing * (carried - known->second);
}

void capacity_gauge::forget(node_number node) {
    measured_.erase(node);
    told_.erase(node);
}

std::map<node_number, std::uint64_t> capacity_gauge::capacities() {
    if (measured_.empty()) return {};
    std::vector<double> values;
    for (const auto& [node, carried] : measured_) values.push_back(carried);
    const double median = median_of(std::move(values));
    for (const auto& [node, carried] : measured_) {
        const double ratio = std::clamp(carried / median, 0.25, 4.0);
        const double fresh = ratio * static_cast<double>(median_capacity);
        const auto [told, is_new] = told_.emplace(node, median_capacity);
        const auto old = static_cast<double>(told->second);
        if (std::abs(fresh - old) > change_worth * old)
            told->second = static_cast<std::uint64_t>(fresh);
    }
    return told_;
}

}  // namespace muster::placement
