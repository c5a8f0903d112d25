#pragma once

#include "base/result.h"
#include "core/api/value.h"
#include "core/model/job.h"

#include <cstddef>
#include <cstdint>
#include <string>

// What a valid job is, and what it is when nobody says so.
namespace muster::jobs {

struct job_limits {
    static constexpr monotonic::duration span_max = std::chrono::hours(24 * 366);
    static constexpr std::size_t note_bytes_max = 4'096;
    static constexpr std::size_t parents_max = 100;
    static constexpr std::uint32_t retries_max = 100;
    static constexpr std::int32_t priority_max = 1'000;  // and as much below zero
    static constexpr std::uint32_t weight_max = 1'000;
    static constexpr double rate_max = 1'000'000;
    static constexpr std::size_t together_max = 100;  // made at once, or in the place of one
};

// Each is errc::invalid with a sentence that names the member and says what is wanted.
result<void> check_rollout(const rollout_options& options);
// What of a spec can be judged without the world and without its arguments.
result<void> check_bounds(const job_spec& spec);

// Says that a spec was checked, with its function and arguments, and what these tell. Only
// check_spec makes one.
class checked_work {
public:
    bool changes_system() const { return changes_system_; }

private:
    explicit checked_work(bool changes) : changes_system_(changes) {}
    friend result<checked_work> check_spec(const job_spec& spec, const api::value& arguments);

    bool changes_system_;
};
// `arguments` is what the spec's text says.
result<checked_work> check_spec(const job_spec& spec, const api::value& arguments);

// Whom a job may be for.
struct target_limits {
    std::uint64_t targets_max = 0;
    bool may_be_empty = false;
};
result<void> check_targets(
    std::uint64_t count, const std::string& query, const target_limits& limits);

// Everything that is open costs every server memory and every node its turns: errc::unavailable
// when there is no room for one more.
result<void> check_open_jobs(std::size_t open, std::size_t open_max);

// Whether two were asked for by the same request: what is made again under the same key.
bool same_request(const job_spec& one, const job_spec& other);
// Of jobs that are made together: what each does may have changed since.
bool same_maker(const job_spec& one, const job_spec& other);

}  // namespace muster::jobs
