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

// What maintenance windows mean for jobs.
namespace muster::jobs {

// What changes a system waits for its window unless somebody says otherwise.
job_spec::window_rule usual_windows(bool changes_system);

// Of a job that is made again: where it ignored windows nobody had any; since then somebody may.
job_spec::window_rule windows_again(job_spec::window_rule before, bool changes_system);

// What changes systems outside of their windows is an override, whatever it is called.
enum class override_need {
    nobody,     // it waits for windows, or leaves systems as they are
    targets,    // whoever asks needs the right windows.override for all targets
    scheduled,  // and here for those of the targets that have a maintenance schedule
};
override_need override_needed(job_spec::window_rule rule, bool changes_system);
// The rule as it is kept; `systems` are those of whom the right is needed. errc::denied without it.
result<job_spec::window_rule> settled_windows(
    job_spec::window_rule rule, override_need of, std::uint64_t systems, bool has_right);

// Where the window limits the start alone, that is what counts.
windows::admission_policy policy_of(job_spec::window_rule rule);

// What to count with, of times that were measured.
std::chrono::seconds expected_of(const duration_history::measured& took);

// What of a job will run in which window.
struct window_forecast {
    windows::forecast counts;
    windows::waiting_systems waiting;
    std::chrono::seconds expected{0};
};
struct forecast_part {
    std::string schedule;  // empty: systems without one
    std::uint64_t systems = 0;
    std::vector<windows::window> coming;  // from forecast_start() on
};
// When the first of it may start.
wall_time forecast_start(const job_spec& spec, wall_time now);
struct forecast_terms {
    std::chrono::seconds expected{0};
    std::optional<std::uint64_t> places = std::nullopt;  // at the same time in the whole job
    wall_time now;
};
window_forecast foresee(
    const job_spec& spec, std::span<const forecast_part> parts, const forecast_terms& terms);

}  // namespace muster::jobs
