#pragma once

#include "base/result.h"
#include "core/api/value.h"
#include "core/model/job.h"

#include <cstddef>
#include <cstdint>
#include <string>

// The rules of a valid job.
namespace muster::jobs {

struct job_limits {
    static constexpr monotonic::duration span_max = std::chrono::hours(24 * 366);
    static constexpr std::size_t note_bytes_max = 4'096;
    static constexpr std::size_t parents_max = 100;
    static constexpr std::uint32_t retries_max = 100;
    static constexpr std::int32_t priority_max = 1'000;  // and at least its negative
    static constexpr std::uint32_t weight_max = 1'000;
    static constexpr double rate_max = 1'000'000;
    static constexpr std::size_t jobs_per_request_max =
        100;  // created by one request, or replacing one job
};

// errc::invalid with a message that names the member and its valid values.
result<void> check_rollout(const rollout_options& options);
// Checks the parts of a spec that depend on nothing else.
result<void> check_bounds(const job_spec& spec);

// Proof that check_spec() accepted a spec with its function and arguments. Only check_spec()
// creates it.
class checked_work {
public:
    bool changes_system() const { return changes_system_; }

private:
    explicit checked_work(bool changes) : changes_system_(changes) {}
    friend result<checked_work> check_spec(const job_spec& spec, const api::value& arguments);

    bool changes_system_;
};
// `arguments` is the parsed text of the spec's arguments.
result<checked_work> check_spec(const job_spec& spec, const api::value& arguments);

// Limits of the targets of a job.
struct target_limits {
    std::uint64_t targets_max = 0;
    bool may_be_empty = false;
};
result<void> check_targets(
    std::uint64_t count, const std::string& query, const target_limits& limits);

// errc::unavailable if no more jobs may be opened. Open jobs cost memory on every server and
// scheduling time on every node.
result<void> check_open_jobs(std::size_t open, std::size_t open_max);

// Whether two jobs come from the same request, repeated with the same key.
bool same_request(const job_spec& left, const job_spec& right);
// Like same_request(), for jobs that are created together; their work may have changed.
bool same_origin(const job_spec& left, const job_spec& right);

}  // namespace muster::jobs
