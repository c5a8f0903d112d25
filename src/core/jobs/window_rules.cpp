#include "core/jobs/window_rules.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace muster::jobs {

using enum job_spec::window_rule;

job_spec::window_rule usual_windows(bool changes_system) {
    return changes_system ? respect : ignore;
}

job_spec::window_rule windows_again(job_spec::window_rule before, bool changes_system) {
    return before == ignore && changes_system ? respect : before;
}

override_need override_needed(job_spec::window_rule rule, bool changes_system) {
    if (rule == override) return override_need::targets;
    return rule == ignore && changes_system ? override_need::scheduled : override_need::nobody;
}

result<job_spec::window_rule> settled_windows(
    job_spec::window_rule rule, override_need of, std::uint64_t systems, bool has_right) {
    switch (of) {
        case override_need::nobody:
            return rule;
        case override_need::targets:
            if (has_right) return override;
            return fail(
                errc::denied,
                "starting outside of windows needs the right windows.override in the zones of all "
                "the systems");
        case override_need::scheduled:
            if (systems == 0) return rule;
            if (has_right) return override;
            return fail(
                errc::denied,
                std::to_string(systems)
                    + " of the systems have maintenance windows: to change them outside of these "
                      "needs the right windows.override in their zones; with `windows` respect or "
                      "start the job waits for them");
    }
    return rule;
}

windows::admission_policy policy_of(job_spec::window_rule rule) {
    using fit = windows::admission_policy::fit;
    return {.rule = rule == start ? fit::start_within : fit::finish_within};
}

std::chrono::seconds expected_of(const duration_history::measured& took) {
    const auto seconds = [](double count) {
        return std::chrono::seconds(static_cast<std::int64_t>(std::ceil(count)));
    };
    return windows::expected_duration(
        {.mean = seconds(took.mean), .deviation = seconds(took.deviation), .samples = took.samples},
        {});
}

wall_time forecast_start(const job_spec& spec, wall_time now) {
    return std::max(spec.not_before.value_or(now), now);
}

window_forecast foresee(
    const job_spec& spec, std::span<const forecast_part> parts, const forecast_terms& terms) {
    const auto begin = spec.not_before.value_or(terms.now);
    const auto first = forecast_start(spec, terms.now);
    std::vector<windows::forecast_group> groups;
    for (const auto& part : parts)
        groups.push_back(
            {.schedule = part.schedule,
             .systems = part.systems,
             .coming = part.coming,
             .expected = terms.expected,
             .rule = policy_of(spec.windows).rule,
             .until = begin + std::chrono::floor<wall_time::duration>(spec.expires_after)});
    const windows::forecast_limits limits{
        .concurrency = terms.places.value_or(0),
        .starts_per_second = spec.rollout.rate.value_or(0)};
    return {
        .counts = windows::foresee(groups, limits, first),
        .waiting = windows::waiting_at(groups, first),
        .expected = terms.expected};
}

}  // namespace muster::jobs
