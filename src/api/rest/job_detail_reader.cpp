#include "api/rest/job_detail_reader.h"

#include "services/jobs/payload_text.h"

#include <utility>

namespace muster::api {
namespace {

constexpr std::uint64_t small_job = 1'000;  // so few rows are read for a list, too

}  // namespace

async<jobs::stored_job> job_detail_reader::find(job_id job) const {
    co_return co_await within(clock_, engine_timeout, jobs_.find(job));
}

async<jobs::stored_job> job_detail_reader::find(std::string id) const {
    const auto job = parse_job_id(id);
    if (!job) co_return fail(errc::not_found, "there is no job " + id);
    co_return co_await find(*job);
}

async<job_detail_reader::reading> job_detail_reader::read(job_id job) const {
    CO_TRY(auto match, co_await find(job));
    CO_TRY(auto tasks, co_await within(clock_, board_timeout, task_states_.read(job)));
    co_return reading{.job = std::move(match), .tasks = std::move(tasks)};
}

async<job_detail_reader::reading> job_detail_reader::read(std::string id) const {
    CO_TRY(const auto match, co_await find(std::move(id)));
    co_return co_await read(match.record.job);
}

job_progress job_detail_reader::progress(const reading& of) const {
    const auto now = clock_.now();
    const auto stage = of.job.record.stage;
    job_progress response{.counts = of.tasks->sets.counts(stage), .rate = {}, .time_left = {}};
    if (!is_end(stage)) {
        response.rate = of.tasks->meter.rate(now);
        const auto left = response.counts.sum() - response.counts.ended();
        if (left > 0) response.time_left = of.tasks->meter.time_left(left, now);
        return response;
    }
    const auto& stored = of.job.counts;
    const auto answered = [](const jobs::task_counts& counts) {
        return counts[task_state::completed] + counts[task_state::failed];
    };
    if (stored && answered(*stored) > answered(response.counts)) response.counts = *stored;
    return response;
}

async<std::optional<job_progress>> job_detail_reader::cheap_progress(jobs::stored_job job) const {
    if (job.counts && is_end(job.record.stage))
        co_return job_progress{.counts = *job.counts, .rate = {}, .time_left = {}};
    auto tasks = task_states_.peek(job.record.job);
    if (!tasks && job.record.targets > small_job) co_return std::nullopt;
    if (!tasks) {
        CO_TRY(tasks, co_await within(clock_, engine_timeout, task_states_.read(job.record.job)));
    }
    co_return progress({.job = std::move(job), .tasks = std::move(tasks)});
}

async<fleet::system_set> job_detail_reader::targets(job_id job) const {
    if (const auto tasks = task_states_.peek(job)) co_return tasks->sets.targets();
    CO_TRY(auto who, co_await within(clock_, engine_timeout, jobs_.audience(job)));
    co_return std::move(who.targets);
}

async<std::optional<std::string>> job_detail_reader::payload(job_id job, std::string digest) const {
    auto reading = jobs_.find_payload(job, std::move(digest));
    CO_TRY(const auto stored, co_await within(clock_, engine_timeout, std::move(reading)));
    if (!stored) co_return std::nullopt;
    CO_TRY(auto text, jobs::unpack(*stored));
    co_return std::move(text);
}

}  // namespace muster::api
