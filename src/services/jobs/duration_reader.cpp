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
        const auto found = known_.find(kind);
        if (found != known_.end() && time_.now() < found->second.until)
            co_return found->second.what;
    }
    CO_TRY(const auto measured, co_await look_up(kind));
    const std::scoped_lock lock(guard_);
    const auto now = time_.now();
    if (known_.size() >= how_.remembered_max)
        std::erase_if(known_, [now](const auto& each) { return each.second.until <= now; });
    if (known_.size() < how_.remembered_max)
        known_[kind] = {.what = measured, .until = now + how_.remember};
    co_return measured;
}

async<duration_history::measured> duration_reader::look_up(std::string kind) {
    duration_history history;
    std::string after;
    std::size_t looked_at = 0;
    std::size_t read_jobs = 0;
    do {
        CO_TRY(const auto page, co_await records_.list(after, jobs_of_page));
        for (const auto& each : page.jobs) {
            if (work_kind(each.record.spec) != kind) continue;
            CO_CHECK_OK(co_await read(each.record.job, kind, &history));
            if (++read_jobs == how_.jobs_read) co_return history.of(kind);
        }
        looked_at += page.jobs.size();
        after = page.next;
    } while (!after.empty() && looked_at < how_.jobs_looked_at);
    co_return history.of(kind);
}

async<void> duration_reader::read(job_id job, std::string kind, duration_history* into) {
    CO_TRY(
        const auto page,
        co_await records_.read_tasks(
            {.job = job, .states = {task_state::completed}}, {}, how_.tasks_read));
    for (const auto& each : page.tasks) {
        const auto& row = each.record;
        if (row.picked_up && row.ended && *row.ended >= *row.picked_up)
            into->add(kind, *row.ended - *row.picked_up);
    }
    co_return result<void>();
}

}  // namespace muster::jobs
