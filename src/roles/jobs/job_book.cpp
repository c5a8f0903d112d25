#include "roles/jobs/job_book.h"

#include "roles/cluster/ledger_schema.h"

#include <algorithm>
#include <utility>

namespace muster::jobs {
namespace {

using namespace std::chrono_literals;

constexpr auto pause_after_failure = 1s;

std::string table_name() {
    return std::string(cluster::jobs_table);
}

}  // namespace

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
    CO_TRY(
        const auto last,
        co_await records_.records().wait_for_change(table_name(), table::sequence(), 0ms));
    CO_TRY(auto open, co_await records_.read_open());
    for (auto& each : open) {
        CO_CHECK_OK(co_await take(std::move(each)));
    }
    read_up_to_ = last.value();
    begun_ = true;
    const std::scoped_lock lock(guard_);
    complete_ = true;
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

async<bool> job_book::read_page() {
    CO_TRY(
        const auto page,
        co_await records_.records().read(
            {.table = table_name(),
             .where =
                 {{.column = std::string(table::sequence_column),
                   .compare = table::comparison::greater,
                   .values = {read_up_to_}}},
             .order = {std::string(table::sequence_column)},
             .limit = how_.page_rows}));
    for (const auto& each : page.rows) {
        CO_TRY(auto one, decode_job(each));
        const auto sequence = one.sequence;
        CO_CHECK_OK(co_await take(std::move(one)));
        read_up_to_ = std::max(read_up_to_, sequence);
    }
    co_return !page.next.empty();
}

async<void> job_book::catch_up() {
    if (!begun_) {
        CO_CHECK_OK(co_await begin());
    }
    for (bool more = true; more;) {
        CO_TRY(more, co_await read_page());
    }
    co_return result<void>();
}

boost::asio::awaitable<void> job_book::run() {
    bool well = true;
    while (true) {
        auto done = co_await catch_up();
        if (done) {
            const auto news = co_await records_.records().wait_for_change(
                table_name(), table::sequence(read_up_to_), how_.patience);
            if (!news) done = fail(news.error());
        }
        if (done) {
            well = true;
            continue;
        }
        if (done.error().code() == errc::cancelled) co_return;
        if (std::exchange(well, false))
            log_.warning("cannot follow the jobs", {{"reason", to_string(done.error())}});
        const auto slept = co_await records_.time().sleep_for(pause_after_failure);
        if (!slept) co_return;
    }
}

}  // namespace muster::jobs
