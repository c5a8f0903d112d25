#include "services/jobs/duration_reader.h"

#include "core/jobs/work_kind.h"

#include <optional>
#include <utility>

namespace muster::jobs {
namespace {

constexpr std::size_t jobs_of_page = 100;

}  // namespace

async<duration_history::measured> duration_reader::measure(job_spec work) {
    const auto kind = work_kind(work);
    {
        const std::scoped_lock lock(guard_);
        const auto it = known_.find(kind);
        if (it != known_.end() && clock_.now() < it->second.until) co_return it->second.what;
    }
    CO_TRY(const auto measured, co_await look_up(kind));
    const std::scoped_lock lock(guard_);
    const auto now = clock_.now();
    if (known_.size() >= options_.remembered_max)
        std::erase_if(known_, [now](const auto& each) { return each.second.until <= now; });
    if (known_.size() < options_.remembered_max)
        known_[kind] = {.what = measured, .until = now + options_.remember};
    co_return measured;
}

async<duration_history::measured> duration_reader::look_up(std::string kind) {
    duration_history history;
    std::string after;
    std::size_t looked_at = 0;
    std::size_t read_jobs = 0;
    do {
        CO_TRY(const auto page, co_await jobs_.list(after, jobs_of_page));
        for (const auto& each : page.jobs) {
            if (work_kind(each.record.spec) != kind) continue;
            CO_CHECK_OK(co_await read(each.record.job, kind, &history));
            if (++read_jobs == options_.jobs_read) co_return history.of(kind);
        }
        looked_at += page.jobs.size();
        after = page.next;
    } while (!after.empty() && looked_at < options_.jobs_looked_at);
    co_return history.of(kind);
}

async<void> duration_reader::read(job_id job, std::string kind, duration_history* into) {
    CO_TRY(
        const auto page,
        co_await jobs_.read_tasks(
            {.job = job, .states = {task_state::completed}}, {}, options_.tasks_read));
    for (const auto& task : page.tasks) {
        const auto& row = task.record;
        if (row.picked_up && row.ended && *row.ended >= *row.picked_up)
            into->add(kind, *row.ended - *row.picked_up);
    }
    co_return result<void>();
}

}  // namespace muster::jobs
