#include "roles/driver/capacity_estimator.h"

#include <chrono>

namespace muster::driver {

// Reports of the same process, one after the other, make a sample; a restart starts anew, and so
// does a clock that was set back.
void capacity_estimator::take(
    const std::vector<load_report>& load_reports, const cluster::topology& topology) {
    std::erase_if(last_, [&](const auto& each) {
        if (topology.node_names.contains(each.first)) return false;
        gauge_.forget(each.first);
        return true;
    });
    for (const auto& report : load_reports) {
        if (!topology.node_names.contains(report.node)) continue;
        const auto last = last_.emplace(report.node, report).first;
        const auto span = std::chrono::duration<double>(report.at - last->second.at).count();
        const double used = report.cpu_seconds - last->second.cpu_seconds;
        if (span > 0 && used >= 0)
            gauge_.observe(
                report.node,
                {.systems = (report.systems + last->second.systems) / 2,
                 .cpu_seconds = used,
                 .seconds = span,
                 .cores = report.cores});
        last->second = report;
    }
}

}  // namespace muster::driver
