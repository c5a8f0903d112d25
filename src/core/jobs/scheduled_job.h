#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/model/job.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

// What a run of a recurring schedule becomes.
namespace muster::jobs {

struct scheduled_run {
    std::string schedule;
    wall_time planned;
    std::string query;
    rollout_options rollout = {};
    bool maintenance_only = false;  // it keeps to windows
};

// The same run is the same jobs, however often it is started.
struct run_claim {
    std::string key;
    std::string digest;

    friend bool operator==(const run_claim&, const run_claim&) = default;
};
run_claim claim_of(const scheduled_run& run);

struct scheduled_work {
    std::string function;
    std::string arguments;  // a JSON object
    monotonic::duration timeout{};
};
job_spec spec_of(const scheduled_run& run, scheduled_work work);

// Why a run makes no job at all, of whose targets some are left to start on and some were left out
// because they are outside of their window. Nothing: it makes one.
std::optional<std::string> why_skipped(std::uint64_t targets, std::uint64_t left_out);

// A run that brings systems to their configuration is a job for each set of files. Each is
// errc::invalid when that is too much for one run.
result<void> check_deployed_systems(std::uint64_t systems, std::size_t systems_max);
result<void> check_deployment_jobs(std::size_t jobs);

}  // namespace muster::jobs
