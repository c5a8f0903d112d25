#pragma once

#include "base/prng.h"
#include "base/time.h"
#include "core/fleet/system_set.h"
#include "core/model/job.h"

#include <cstdint>
#include <optional>

// Resolves a job's options for its number of targets. Done once, when the job is created.
namespace muster::rollout {

// The batch of large jobs that name none. Fewer than two targets disable the rule.
struct default_batch_rule {
    std::uint64_t targets_min = 0;
    std::uint64_t batch = 8;
};
rollout_options apply_default_batch(
    rollout_options options, std::uint64_t targets, default_batch_rule rule);

// How many tasks may be in flight in the whole cluster; nothing: unlimited. At least one, so that a
// batch of "0" or of a small percentage does not block a job.
std::optional<std::uint64_t> concurrency_of(const rollout_options& options, std::uint64_t targets);

// The job's rate in starts per 1000 seconds, at least one.
std::optional<std::uint64_t> starts_milli_of(const rollout_options& options);

// How many tasks may fail before the job is halted; nothing: any number.
std::optional<std::uint64_t> failure_limit(const rollout_options& options, std::uint64_t targets);

// The systems that go first: attached ones if possible, spread over the targets. Equal arguments
// give equal canaries.
fleet::system_set choose_canaries(
    const fleet::system_set& targets,
    const fleet::system_set& attached,
    std::uint64_t count,
    prng random);

// When a job may start and when its queued tasks expire, on the monotonic clock.
struct job_period {
    instant opens;
    instant expires;
};
job_period period_of(const job_spec& spec, job_id job, wall_time wall_now, instant now);

}  // namespace muster::rollout
