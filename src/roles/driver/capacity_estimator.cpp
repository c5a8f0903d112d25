#include "roles/driver/capacity_estimator.h"

#include <chrono>

namespace muster::driver {

// Two successive reports of one process make a sample. After a restart, or if the clock was set
// back, sampling starts again.
void capacity_estimator::add_reports(
    const std::vector<load_report>& load_reports, const cluster::topology& topology) {
    std::erase_if(last_reports_, [&](const auto& entry) {
        if (topology.node_names.contains(entry.first)) return false;
        gauge_.forget(entry.first);
        return true;
    });
    for (const auto& report : load_reports) {
        if (!topology.node_names.contains(report.node)) continue;
        const auto last = last_reports_.emplace(report.node, report).first;
        const auto seconds =
            std::chrono::duration<double>(report.reported_at - last->second.reported_at).count();
        const double cpu_seconds = report.cpu_seconds - last->second.cpu_seconds;
        if (seconds > 0 && cpu_seconds >= 0)
            gauge_.observe(
                report.node,
                {.systems = (report.systems + last->second.systems) / 2,
                 .cpu_seconds = cpu_seconds,
                 .seconds = seconds,
                 .cores = report.cores});
        last->second = report;
    }
}

}  // namespace muster::driver
