#include "services/jobs/open_job_cache.h"

#include "services/jobs/job_tables.h"

#include <string>
#include <utility>

namespace muster::jobs {

open_job_cache::open_job_cache(job_store& records, runtime::logger& log, options options)
    : jobs_(records),
      rows_(
          {.ledger = records.records(), .clock = records.clock(), .log = log},
          {.table = std::string(jobs_table),
           .page_rows = options.page_rows,
           .wait_max = options.timeout},
          &decode_job,
          [this](std::vector<stored_job> rows) { return apply(std::move(rows)); }) {}

std::shared_ptr<const open_job> open_job_cache::find(job_id job) const {
    const std::scoped_lock lock(guard_);
    const auto it = open_.find(job);
    return it == open_.end() ? nullptr : it->second;
}

std::vector<std::shared_ptr<const open_job>> open_job_cache::all() const {
    const std::scoped_lock lock(guard_);
    std::vector<std::shared_ptr<const open_job>> read;
    read.reserve(open_.size());
    for (const auto& [job, one] : open_) read.push_back(one);
    return read;
}

bool open_job_cache::complete() const {
    const std::scoped_lock lock(guard_);
    return complete_;
}

// The open ones, and from there on every change. The sequence is read first: what changes in
// between is seen twice rather than never.
async<void> open_job_cache::begin() {
    CO_TRY(const auto last, co_await rows_.rows().newest());
    CO_TRY(const auto open, co_await jobs_.read_open_rows());
    CO_CHECK_OK(co_await apply(rows_.decode(open)));
    rows_.rows().skip_to(last);
    begun_ = true;
    const std::scoped_lock lock(guard_);
    complete_ = true;
    co_return result<void>();
}

// A job whose targets cannot be read is passed over like one that cannot be read itself.
async<void> open_job_cache::apply(std::vector<stored_job> rows) {
    for (auto& row : rows) {
        const auto sequence = row.sequence;
        const auto done = co_await take(std::move(row));
        if (done) continue;
        const auto code = done.error().code();
        if (code != errc::corrupt && code != errc::not_found) co_return fail(done.error());
        rows_.rows().report_unreadable(sequence, done.error().within("its targets"));
    }
    co_return result<void>();
}

async<void> open_job_cache::take(stored_job stored_job) {
    const auto existing = find(stored_job.record.job);
    if (existing && existing->record.version >= stored_job.record.version) co_return result<void>();
    auto now = std::make_shared<open_job>(open_job{.record = stored_job.record, .who = nullptr});
    const bool ended = is_end(stored_job.record.stage);
    if (existing) now->who = existing->who;
    if (!now->who && !ended) {
        CO_TRY(auto who, co_await jobs_.audience(stored_job.record.job));
        now->who = std::make_shared<const job_targets>(std::move(who));
    }
    {
        const std::scoped_lock lock(guard_);
        if (ended) open_.erase(stored_job.record.job);
        if (!ended) open_[stored_job.record.job] = now;
        size_ = open_.size();
    }
    if (ended && !existing) co_return result<void>();
    for (const auto& watcher : watchers_) watcher(*now);
    co_return result<void>();
}

async<void> open_job_cache::catch_up() {
    if (!begun_) {
        CO_CHECK_OK(co_await begin());
    }
    co_return co_await rows_.refresh();
}

}  // namespace muster::jobs
