#include "api/rest/job_detail_reader.h"

#include "services/jobs/payload_text.h"

#include <algorithm>
#include <utility>

namespace muster::api {
namespace {

constexpr std::uint64_t small_job_targets = 1'000;  // lists read the rows of jobs up to this size

}  // namespace

async<jobs::stored_job> job_detail_reader::find(job_id job) const {
    co_return co_await within(clock_, engine_timeout, jobs_.find(job));
}

async<jobs::stored_job> job_detail_reader::find(std::string id) const {
    const auto job = parse_job_id(id);
    if (!job) co_return fail(errc::not_found, "job \"" + id + "\" not found");
    co_return co_await find(*job);
}

async<job_detail_reader::job_detail> job_detail_reader::read(job_id job) const {
    CO_TRY(auto stored, co_await find(job));
    CO_TRY(auto tasks, co_await within(clock_, task_states_timeout, task_states_.read(job)));
    co_return job_detail{.job = std::move(stored), .tasks = std::move(tasks)};
}

async<job_detail_reader::job_detail> job_detail_reader::read(std::string id) const {
    CO_TRY(const auto job, co_await find(std::move(id)));
    co_return co_await read(job.record.job);
}

async<job_progress> job_detail_reader::progress(job_detail detail) const {
    const auto now = clock_.now();
    const auto stage = detail.job.record.stage;
    job_progress progress{.counts = detail.tasks->sets.counts(stage), .rate = {}, .time_left = {}};
    if (!is_final(stage)) {
        progress.rate = detail.tasks->meter.rate(now);
        auto remaining = progress.counts.sum() - progress.counts.ended();
        auto pending_check = windows_.find_waiting(
            detail.job.record.spec, detail.tasks->sets.members(task_state::queued, stage));
        auto waiting = co_await within(clock_, engine_timeout, std::move(pending_check));
        // Progress is shown even if the windows are not known yet.
        if (waiting) progress.waiting = *std::move(waiting);
        // Systems that wait for a window do not end at the present rate.
        for (const auto& wait : progress.waiting) remaining -= std::min(remaining, wait.systems);
        if (remaining > 0) progress.time_left = detail.tasks->meter.time_left(remaining, now);
        co_return progress;
    }
    const auto& stored = detail.job.counts;
    const auto count_results = [](const jobs::task_counts& counts) {
        return counts[task_state::completed] + counts[task_state::failed];
    };
    if (stored && count_results(*stored) > count_results(progress.counts))
        progress.counts = *stored;
    co_return progress;
}

async<std::optional<job_progress>> job_detail_reader::cheap_progress(jobs::stored_job job) const {
    if (job.counts && is_final(job.record.stage))
        co_return job_progress{.counts = *job.counts, .rate = {}, .time_left = {}};
    auto tasks = task_states_.peek(job.record.job);
    if (!tasks && job.record.targets > small_job_targets) co_return std::nullopt;
    if (!tasks) {
        CO_TRY(tasks, co_await within(clock_, engine_timeout, task_states_.read(job.record.job)));
    }
    co_return co_await progress({.job = std::move(job), .tasks = std::move(tasks)});
}

async<fleet::system_set> job_detail_reader::targets(job_id job) const {
    if (const auto tasks = task_states_.peek(job)) co_return tasks->sets.targets();
    CO_TRY(auto job_targets, co_await within(clock_, engine_timeout, jobs_.find_targets(job)));
    co_return std::move(job_targets.systems);
}

async<std::optional<std::string>> job_detail_reader::payload(job_id job, std::string digest) const {
    auto pending_read = jobs_.find_payload(job, std::move(digest));
    CO_TRY(const auto stored, co_await within(clock_, engine_timeout, std::move(pending_read)));
    if (!stored) co_return std::nullopt;
    CO_TRY(auto text, jobs::unpack(*stored));
    co_return std::move(text);
}

}  // namespace muster::api
