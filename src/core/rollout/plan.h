#pragma once

#include "base/prng.h"
#include "base/time.h"
#include "core/fleet/system_set.h"
#include "core/model/job.h"

#include <cstdint>
#include <optional>

// What a job's options come to for the targets it has. Decided once, when the job is made.
namespace muster::rollout {

// Many targets and no batch asked for: one is put in place. A limit below two is off.
struct safe_limit {
    std::uint64_t targets = 0;
    std::uint64_t batch = 8;
};
rollout_options with_safe_limit(rollout_options options, std::uint64_t targets, safe_limit limit);

// How many tasks may be in flight in the whole cluster; nothing: as many as go. At least one, so
// that a batch of "0" or of a small percentage does not stop a job for ever.
std::optional<std::uint64_t> places_of(const rollout_options& options, std::uint64_t targets);

// The same rate in thousandths of a start a second, at least one.
std::optional<std::uint64_t> starts_milli_of(const rollout_options& options);

// How many failed tasks a job bears.
std::optional<std::uint64_t> failures_borne(const rollout_options& options, std::uint64_t targets);

// The systems that go first: of those that are there if possible, spread over the targets. The same
// arguments give the same canaries.
fleet::system_set choose_canaries(
    const fleet::system_set& targets,
    const fleet::system_set& attached,
    std::uint64_t count,
    prng random);

// When a job may start and when what is still queued expires, on the clock of intervals.
struct span {
    instant opens;
    instant expires;
};
span span_of(const job_spec& spec, job_id job, wall_time wall_now, instant now);

}  // namespace muster::rollout
