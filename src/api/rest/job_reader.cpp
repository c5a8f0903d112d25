#include "api/rest/job_reader.h"

#include "services/jobs/payload_text.h"

#include <utility>

namespace muster::api {
namespace {

constexpr std::uint64_t small_job = 1'000;  // so few rows are read for a list, too

}  // namespace

async<jobs::stored_job> job_reader::find(job_id job) const {
    co_return co_await within(time_, engine_patience, records_.find(job));
}

async<jobs::stored_job> job_reader::find(std::string id) const {
    const auto job = parse_job_id(id);
    if (!job) co_return fail(errc::not_found, "there is no job " + id);
    co_return co_await find(*job);
}

async<job_reader::reading> job_reader::read(job_id job) const {
    CO_TRY(auto found, co_await find(job));
    CO_TRY(auto tasks, co_await within(time_, board_patience, board_.read(job)));
    co_return reading{.job = std::move(found), .tasks = std::move(tasks)};
}

async<job_reader::reading> job_reader::read(std::string id) const {
    CO_TRY(const auto found, co_await find(std::move(id)));
    co_return co_await read(found.record.job);
}

job_progress job_reader::progress(const reading& of) const {
    const auto now = time_.now();
    const auto stage = of.job.record.stage;
    job_progress told{.counts = of.tasks->sets.counts(stage), .rate = {}, .time_left = {}};
    if (!is_end(stage)) {
        told.rate = of.tasks->meter.rate(now);
        const auto left = told.counts.sum() - told.counts.ended();
        if (left > 0) told.time_left = of.tasks->meter.time_left(left, now);
        return told;
    }
    const auto& kept = of.job.counts;
    const auto answered = [](const jobs::task_counts& counts) {
        return counts[task_state::completed] + counts[task_state::failed];
    };
    if (kept && answered(*kept) > answered(told.counts)) told.counts = *kept;
    return told;
}

async<std::optional<job_progress>> job_reader::cheap_progress(jobs::stored_job job) const {
    if (job.counts && is_end(job.record.stage))
        co_return job_progress{.counts = *job.counts, .rate = {}, .time_left = {}};
    auto tasks = board_.peek(job.record.job);
    if (!tasks && job.record.targets > small_job) co_return std::nullopt;
    if (!tasks) {
        CO_TRY(tasks, co_await within(time_, engine_patience, board_.read(job.record.job)));
    }
    co_return progress({.job = std::move(job), .tasks = std::move(tasks)});
}

async<fleet::system_set> job_reader::targets(job_id job) const {
    if (const auto tasks = board_.peek(job)) co_return tasks->sets.targets();
    CO_TRY(auto who, co_await within(time_, engine_patience, records_.audience(job)));
    co_return std::move(who.targets);
}

async<std::optional<std::string>> job_reader::payload(job_id job, std::string digest) const {
    auto reading = records_.find_payload(job, std::move(digest));
    CO_TRY(const auto kept, co_await within(time_, engine_patience, std::move(reading)));
    if (!kept) co_return std::nullopt;
    CO_TRY(auto text, jobs::unpack(*kept));
    co_return std::move(text);
}

}  // namespace muster::api
