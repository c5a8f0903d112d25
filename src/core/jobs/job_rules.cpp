#include "core/jobs/job_rules.h"

#include "core/jobs/job_function.h"

#include <chrono>
#include <string_view>

namespace muster::jobs {
namespace {

using namespace std::chrono_literals;

result<void> check_span(
    std::string_view name, monotonic::duration span, monotonic::duration least) {
    if (span >= least && span <= job_limits::span_max) return {};
    return fail(
        errc::invalid,
        "`" + std::string(name) + "` must be between "
            + std::to_string(std::chrono::ceil<std::chrono::seconds>(least).count())
            + " seconds and 1 year");
}

}  // namespace

result<void> check_rollout(const rollout_options& options) {
    CHECK_OK(check_span("batch_wait", options.batch_wait, 0s));
    CHECK_OK(check_span("retry_wait", options.retry_wait, 0s));
    CHECK_OK(check_span("canary_wait", options.canary_wait, 0s));
    if (options.canary_wait > monotonic::duration::zero() && !options.canary)
        return fail(errc::invalid, "`canary_wait` requires `canary`");
    if (options.rate && (*options.rate <= 0 || *options.rate > job_limits::rate_max))
        return fail(errc::invalid, "`rate` must be more than 0 and at most 1000000 per second");
    if (options.retries > job_limits::retries_max)
        return fail(errc::invalid, "`retries` must be at most 100");
    if (options.priority < -job_limits::priority_max || options.priority > job_limits::priority_max)
        return fail(errc::invalid, "`priority` must be between -1000 and 1000");
    if (options.weight < 1 || options.weight > job_limits::weight_max)
        return fail(errc::invalid, "`weight` must be between 1 and 1000");
    return {};
}

result<void> check_bounds(const job_spec& spec) {
    if (spec.note.size() > job_limits::note_bytes_max)
        return fail(errc::invalid, "`note` is longer than 4096 bytes");
    if (spec.parents.size() > job_limits::parents_max)
        return fail(errc::invalid, "`parents` must have at most 100 jobs");
    CHECK_OK(check_span("timeout", spec.timeout, 1s));
    CHECK_OK(check_span("expires_after", spec.expires_after, 1s));
    if (spec.rollout.canary_wait >= spec.expires_after)
        return fail(errc::invalid, "`canary_wait` must be shorter than `expires_after`");
    return check_rollout(spec.rollout);
}

result<checked_work> check_spec(const job_spec& spec, const api::value& arguments) {
    CHECK_OK(check_function(spec.function));
    CHECK_OK(check_arguments_size(spec.arguments.size()));
    CHECK_OK(check_arguments(spec.function, arguments));
    CHECK_OK(check_bounds(spec));
    return checked_work(changes_system(spec.function, arguments));
}

result<void> check_targets(
    std::uint64_t count, const std::string& query, const target_limits& limits) {
    if (count == 0 && !limits.may_be_empty)
        return fail(
            errc::invalid,
            "query \"" + query + "\" matches no systems; set allow_empty to create the job anyway");
    if (count > limits.targets_max)
        return fail(
            errc::invalid,
            "limit of " + std::to_string(limits.targets_max)
                + " systems per job exceeded: query matches " + std::to_string(count));
    return {};
}

result<void> check_open_jobs(std::size_t open, std::size_t open_max) {
    if (open < open_max) return {};
    return fail(
        errc::unavailable,
        "overloaded: limit of " + std::to_string(open_max)
            + " open jobs reached; retry later or raise jobs.open_max");
}

bool same_request(const job_spec& left, const job_spec& right) {
    return left.function == right.function && left.arguments == right.arguments
           && left.query == right.query && left.actor == right.actor;
}

bool same_origin(const job_spec& left, const job_spec& right) {
    return left.actor == right.actor && left.query == right.query && left.note == right.note;
}

}  // namespace muster::jobs
