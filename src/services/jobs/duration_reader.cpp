#include "services/jobs/duration_reader.h"

#include "core/jobs/work_kind.h"

#include <optional>
#include <utility>

namespace muster::jobs {
namespace {

constexpr std::size_t jobs_per_page = 100;

}  // namespace

async<duration_history::statistics> duration_reader::measure(job_spec work) {
    const auto kind = work_kind(work);
    {
        const std::scoped_lock lock(mutex_);
        const auto it = cache_.find(kind);
        if (it != cache_.end() && clock_.now() < it->second.expires) co_return it->second.durations;
    }
    CO_TRY(const auto durations, co_await read_history(kind));
    const std::scoped_lock lock(mutex_);
    const auto now = clock_.now();
    if (cache_.size() >= options_.cached_max)
        std::erase_if(cache_, [now](const auto& entry) { return entry.second.expires <= now; });
    if (cache_.size() < options_.cached_max)
        cache_[kind] = {.durations = durations, .expires = now + options_.cache_time};
    co_return durations;
}

async<duration_history::statistics> duration_reader::read_history(std::string kind) {
    duration_history history;
    std::string after;
    std::size_t scanned = 0;
    std::size_t read_jobs = 0;
    do {
        CO_TRY(const auto page, co_await jobs_.list(after, jobs_per_page));
        for (const auto& job : page.jobs) {
            if (work_kind(job.record.spec) != kind) continue;
            CO_CHECK_OK(co_await read_tasks(job.record.job, kind, &history));
            if (++read_jobs == options_.jobs_read_max) co_return history.find(kind);
        }
        scanned += page.jobs.size();
        after = page.next;
    } while (!after.empty() && scanned < options_.jobs_scanned_max);
    co_return history.find(kind);
}

async<void> duration_reader::read_tasks(job_id job, std::string kind, duration_history* history) {
    CO_TRY(
        const auto page,
        co_await jobs_.read_tasks(
            {.job = job, .states = {task_state::completed}}, {}, options_.tasks_read_max));
    for (const auto& task : page.tasks) {
        const auto& row = task.record;
        if (row.picked_up && row.ended && *row.ended >= *row.picked_up)
            history->add(kind, *row.ended - *row.picked_up);
    }
    co_return result<void>();
}

}  // namespace muster::jobs
