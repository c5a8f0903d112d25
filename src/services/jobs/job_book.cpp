#include "services/jobs/job_book.h"

#include "services/jobs/job_tables.h"

#include <string>
#include <utility>

namespace muster::jobs {

job_book::job_book(job_ledger& records, runtime::logger& log, options how)
    : records_(records),
      rows_(
          {.records = records.records(), .time = records.time(), .log = log},
          {.table = std::string(jobs_table), .page_rows = how.page_rows, .wait_max = how.patience},
          &decode_job,
          [this](std::vector<stored_job> rows) { return apply(std::move(rows)); }) {}

std::shared_ptr<const open_job> job_book::find(job_id job) const {
    const std::scoped_lock lock(guard_);
    const auto found = open_.find(job);
    return found == open_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<const open_job>> job_book::all() const {
    const std::scoped_lock lock(guard_);
    std::vector<std::shared_ptr<const open_job>> read;
    read.reserve(open_.size());
    for (const auto& [job, one] : open_) read.push_back(one);
    return read;
}

std::size_t job_book::size() const {
    const std::scoped_lock lock(guard_);
    return open_.size();
}

bool job_book::complete() const {
    const std::scoped_lock lock(guard_);
    return complete_;
}

// The open ones, and from there on every change. The sequence is read first: what changes in
// between is seen twice rather than never.
async<void> job_book::begin() {
    CO_TRY(const auto last, co_await rows_.rows().newest());
    CO_TRY(const auto open, co_await records_.read_open_rows());
    CO_CHECK_OK(co_await apply(rows_.decode(open)));
    rows_.rows().skip_to(last);
    begun_ = true;
    const std::scoped_lock lock(guard_);
    complete_ = true;
    co_return result<void>();
}

// A job whose targets cannot be read is passed over like one that cannot be read itself.
async<void> job_book::apply(std::vector<stored_job> rows) {
    for (auto& each : rows) {
        const auto sequence = each.sequence;
        const auto done = co_await take(std::move(each));
        if (done) continue;
        const auto code = done.error().code();
        if (code != errc::corrupt && code != errc::not_found) co_return fail(done.error());
        rows_.rows().report_unreadable(sequence, done.error().within("its targets"));
    }
    co_return result<void>();
}

async<void> job_book::take(stored_job one) {
    const auto known = find(one.record.job);
    if (known && known->record.version >= one.record.version) co_return result<void>();
    auto now = std::make_shared<open_job>(open_job{.record = one.record, .who = nullptr});
    const bool ended = is_end(one.record.stage);
    if (known) now->who = known->who;
    if (!now->who && !ended) {
        CO_TRY(auto who, co_await records_.audience(one.record.job));
        now->who = std::make_shared<const job_audience>(std::move(who));
    }
    {
        const std::scoped_lock lock(guard_);
        if (ended) open_.erase(one.record.job);
        if (!ended) open_[one.record.job] = now;
    }
    if (ended && !known) co_return result<void>();
    for (const auto& each : watchers_) each(*now);
    co_return result<void>();
}

async<void> job_book::catch_up() {
    if (!begun_) {
        CO_CHECK_OK(co_await begin());
    }
    co_return co_await rows_.refresh();
}

}  // namespace muster::jobs
