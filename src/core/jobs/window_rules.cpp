#include "core/jobs/window_rules.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace muster::jobs {

using enum job_spec::window_rule;

job_spec::window_rule default_window_rule(bool changes_system) {
    return changes_system ? respect : ignore;
}

job_spec::window_rule retry_window_rule(job_spec::window_rule previous, bool changes_system) {
    return previous == ignore && changes_system ? respect : previous;
}

override_need required_override(job_spec::window_rule rule, bool changes_system) {
    if (rule == override) return override_need::targets;
    return rule == ignore && changes_system ? override_need::scheduled : override_need::none;
}

result<job_spec::window_rule> effective_window_rule(
    job_spec::window_rule rule, override_need need, std::uint64_t systems, bool has_right) {
    switch (need) {
        case override_need::none:
            return rule;
        case override_need::targets:
            if (has_right) return override;
            return fail(
                errc::denied,
                "starting outside maintenance windows requires the right windows.override in the "
                "zones of all target systems");
        case override_need::scheduled:
            if (systems == 0) return rule;
            if (has_right) return override;
            return fail(
                errc::denied,
                std::to_string(systems)
                    + " of the target systems have maintenance windows; changing these systems "
                      "outside a window requires the right windows.override in their zones; set "
                      "`windows` to respect or start to wait for the windows");
    }
    return rule;
}

windows::admission_policy policy_of(job_spec::window_rule rule) {
    using fit = windows::admission_policy::fit;
    return {.rule = rule == start ? fit::start_within : fit::finish_within};
}

std::chrono::seconds expected_duration(const duration_history::statistics& statistics) {
    const auto seconds = [](double count) {
        return std::chrono::seconds(static_cast<std::int64_t>(std::ceil(count)));
    };
    return windows::expected_duration(
        {.mean = seconds(statistics.mean),
         .deviation = seconds(statistics.deviation),
         .samples = statistics.samples},
        {});
}

wall_time forecast_start(const job_spec& spec, wall_time now) {
    return std::max(spec.not_before.value_or(now), now);
}

window_forecast forecast_windows(
    const job_spec& spec, std::span<const forecast_part> parts, const forecast_options& options) {
    const auto begin = spec.not_before.value_or(options.now);
    const auto first = forecast_start(spec, options.now);
    std::vector<windows::forecast_group> groups;
    for (const auto& part : parts)
        groups.push_back(
            {.schedule = part.schedule,
             .systems = part.systems,
             .next_windows = part.upcoming,
             .expected = options.expected,
             .rule = policy_of(spec.windows).rule,
             .until = begin + std::chrono::floor<wall_time::duration>(spec.expires_after)});
    const windows::forecast_limits limits{
        .concurrency = options.concurrency.value_or(0),
        .starts_per_second = spec.rollout.rate.value_or(0)};
    return {
        .counts = windows::compute_forecast(groups, limits, first),
        .waiting = windows::waiting_systems_at(groups, first),
        .expected = options.expected};
}

}  // namespace muster::jobs
