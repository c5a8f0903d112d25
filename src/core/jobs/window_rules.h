#pragma once

#include "base/result.h"
#include "core/jobs/duration_history.h"
#include "core/model/job.h"
#include "core/windows/admission.h"
#include "core/windows/forecast.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

// The rules of maintenance windows for jobs.
namespace muster::jobs {

// The rule of a job that names none: jobs that change systems respect windows.
job_spec::window_rule default_window_rule(bool changes_system);

// The rule of a repeated job. If it ignored windows, systems may have windows now.
job_spec::window_rule retry_window_rule(job_spec::window_rule previous, bool changes_system);

// A change of systems outside of their windows is an override.
enum class override_need {
    none,       // no right needed: respects windows, or changes nothing
    targets,    // windows.override needed for all targets
    scheduled,  // windows.override needed for targets with a maintenance schedule
};
override_need required_override(job_spec::window_rule rule, bool changes_system);
// The rule to record. `systems` counts those that need the right; errc::denied without it.
result<job_spec::window_rule> effective_window_rule(
    job_spec::window_rule rule, override_need need, std::uint64_t systems, bool has_right);

// The admission policy of a rule: start or finish within the window.
windows::admission_policy policy_of(job_spec::window_rule rule);

// The duration to plan with, from measured durations.
std::chrono::seconds expected_duration(const duration_history::statistics& statistics);

// In which windows the tasks of a job will run.
struct window_forecast {
    windows::forecast counts;
    windows::waiting_systems waiting;
    std::chrono::seconds expected{0};
};
struct forecast_part {
    std::string schedule;  // empty: systems without a schedule
    std::uint64_t systems = 0;
    std::vector<windows::window> upcoming;  // from forecast_start() on
};
// The earliest start of the job.
wall_time forecast_start(const job_spec& spec, wall_time now);
struct forecast_options {
    std::chrono::seconds expected{0};
    std::optional<std::uint64_t> concurrency = std::nullopt;  // tasks in flight in the whole job
    wall_time now;
};
window_forecast forecast_windows(
    const job_spec& spec, std::span<const forecast_part> parts, const forecast_options& options);

}  // namespace muster::jobs
