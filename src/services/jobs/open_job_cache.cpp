#include "services/jobs/open_job_cache.h"

#include "services/jobs/job_tables.h"

#include <string>
#include <utility>

namespace muster::jobs {

open_job_cache::open_job_cache(job_store& jobs, runtime::logger& log, options options)
    : jobs_(jobs),
      rows_(
          {.ledger = jobs.ledger(), .clock = jobs.clock(), .log = log},
          {.table = std::string(jobs_table),
           .page_rows = options.page_rows,
           .wait_max = options.timeout},
          &decode_job,
          [this](std::vector<stored_job> rows) { return apply(std::move(rows)); }) {}

std::shared_ptr<const open_job> open_job_cache::find(job_id job) const {
    const std::scoped_lock lock(mutex_);
    const auto it = open_.find(job);
    return it == open_.end() ? nullptr : it->second;
}

std::vector<std::shared_ptr<const open_job>> open_job_cache::all() const {
    const std::scoped_lock lock(mutex_);
    std::vector<std::shared_ptr<const open_job>> jobs;
    jobs.reserve(open_.size());
    for (const auto& [job, open_job] : open_) jobs.push_back(open_job);
    return jobs;
}

bool open_job_cache::is_complete() const {
    const std::scoped_lock lock(mutex_);
    return complete_;
}

// Reads the open jobs, then follows all changes. Reads the sequence first: a change in between is
// applied twice rather than never.
async<void> open_job_cache::begin() {
    CO_TRY(const auto last, co_await rows_.rows().newest());
    CO_TRY(const auto open, co_await jobs_.read_open_rows());
    CO_CHECK_OK(co_await apply(rows_.decode(open)));
    rows_.rows().skip_to(last);
    begun_ = true;
    const std::scoped_lock lock(mutex_);
    complete_ = true;
    co_return result<void>();
}

// Skips a job whose targets are unreadable, like an unreadable job.
async<void> open_job_cache::apply(std::vector<stored_job> rows) {
    for (auto& row : rows) {
        const auto sequence = row.sequence;
        const auto applied = co_await apply(std::move(row));
        if (applied) continue;
        const auto code = applied.error().code();
        if (code != errc::corrupt && code != errc::not_found) co_return fail(applied.error());
        rows_.rows().report_unreadable(sequence, applied.error().with_context("job targets"));
    }
    co_return result<void>();
}

async<void> open_job_cache::apply(stored_job stored) {
    const auto existing = find(stored.record.job);
    if (existing && existing->record.version >= stored.record.version) co_return result<void>();
    auto job = std::make_shared<open_job>(open_job{.record = stored.record, .targets = nullptr});
    const bool ended = is_final(stored.record.stage);
    if (existing) job->targets = existing->targets;
    if (!job->targets && !ended) {
        CO_TRY(auto targets, co_await jobs_.find_targets(stored.record.job));
        job->targets = std::make_shared<const job_targets>(std::move(targets));
    }
    {
        const std::scoped_lock lock(mutex_);
        if (ended) open_.erase(stored.record.job);
        if (!ended) open_[stored.record.job] = job;
        size_ = open_.size();
    }
    if (ended && !existing) co_return result<void>();
    for (const auto& watcher : watchers_) watcher(*job);
    co_return result<void>();
}

async<void> open_job_cache::refresh() {
    if (!begun_) {
        CO_CHECK_OK(co_await begin());
    }
    co_return co_await rows_.refresh();
}

}  // namespace muster::jobs
