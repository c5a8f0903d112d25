#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/model/job.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

// The jobs of a run of a recurring schedule.
namespace muster::jobs {

struct scheduled_run {
    std::string schedule;
    wall_time planned;
    std::string query;
    rollout_options rollout = {};
    bool maintenance_only = false;  // respects maintenance windows
};

// Idempotency of a run: starting it again does not create more jobs.
struct run_idempotency {
    std::string key;
    std::string digest;

    friend bool operator==(const run_idempotency&, const run_idempotency&) = default;
};
run_idempotency idempotency_of(const scheduled_run& run);

struct scheduled_work {
    std::string function;
    std::string arguments;  // a JSON object
    monotonic::duration timeout{};
};
job_spec spec_of(const scheduled_run& run, scheduled_work work);

// Why a run creates no job; nothing if it creates one. `left_out` counts the systems outside of
// their windows, `targets` the others.
std::optional<std::string> skip_reason(std::uint64_t targets, std::uint64_t left_out);

// A run that deploys configuration creates one job for each distinct set of files. errc::invalid if
// one run would be too large.
result<void> check_deployed_systems(std::uint64_t systems, std::size_t systems_max);
result<void> check_deployment_jobs(std::size_t jobs);

}  // namespace muster::jobs
