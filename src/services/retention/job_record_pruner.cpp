#include "services/retention/job_record_pruner.h"

#include "base/assert.h"
#include "base/iso_time.h"
#include "core/events/event_row.h"
#include "services/compatibility/numeric_id_store.h"
#include "services/jobs/job_tables.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace muster::retention {
namespace {

constexpr std::size_t jobs_per_erasure = 1'000;

const table::partitioning& job_partitions() {
    static const table::partitioning partitioning{.column = "job", .span = jobs::tasks_span};
    return partitioning;
}

table::query oldest_row_query(std::string_view table, std::string column) {
    return {.table = std::string(table), .where = {}, .order = {std::move(column)}, .limit = 1};
}

std::optional<wall_time> first_time(const table::page& page) {
    if (page.rows.empty()) return std::nullopt;
    const auto* const time = std::get_if<wall_time>(&page.rows.front().front());
    return time == nullptr ? std::nullopt : std::optional(*time);
}

template <class T>
std::optional<T> smaller(std::optional<T> one, std::optional<T> other) {
    if (!one || !other) return one ? one : other;
    return std::min(*one, *other);
}

std::string day_of(wall_time time) {
    return iso_time(time).substr(0, 10);
}

}  // namespace

job_record_pruner::job_record_pruner(dependencies deps, options options)
    : deps_(std::move(deps)), options_(std::move(options)) {
    if (options_.archive.empty()) return;
    MUSTER_ASSERT(!deps_.schema.migrations.empty());
    files_ = std::make_unique<archive::archive_store>(options_.archive);
    archive_ = std::make_unique<job_archive>(job_archive::dependencies{
        .ledger = deps_.jobs.ledger(),
        .files = *files_,
        .clock = deps_.clock,
        .server = options_.server,
        .schema = deps_.schema});
}

// The first column of both tables is the time that says which span a row is in.
async<jobs::retention_facts> job_record_pruner::read_facts() {
    auto& ledger = deps_.jobs.ledger();
    CO_TRY(const auto oldest_job, co_await ledger.read(oldest_row_query(jobs::jobs_table, "job")));
    CO_TRY(
        const auto oldest_event,
        co_await ledger.read(oldest_row_query(events::events_table, "anchor")));
    CO_TRY(const auto open, co_await deps_.jobs.read_open());
    jobs::retention_facts facts{
        .now = deps_.clock.wall(),
        .oldest = smaller(first_time(oldest_job), first_time(oldest_event)),
        .oldest_needed = std::nullopt};
    for (const auto& job : open) {
        facts.oldest_needed = smaller(facts.oldest_needed, std::optional(job.record.job));
        for (const auto parent : job.record.spec.parents)
            facts.oldest_needed = smaller(facts.oldest_needed, std::optional(parent));
    }
    co_return facts;
}

async<void> job_record_pruner::erase_jobs(jobs::record_span span) {
    while (true) {
        table::query query{
            .table = std::string(jobs::jobs_table),
            .where =
                {{.column = "job", .compare = table::comparison::less, .values = {span.until}}},
            .order = {"job"},
            .limit = jobs_per_erasure};
        CO_TRY(const auto page, co_await deps_.jobs.ledger().read(std::move(query)));
        if (page.rows.empty()) co_return result<void>();
        table::erasure erasure{.table = std::string(jobs::jobs_table), .keys = {}};
        for (const auto& row : page.rows) erasure.keys.push_back({row.front()});
        table::batch change;
        change.erasures.push_back(std::move(erasure));
        CO_CHECK_OK(co_await deps_.jobs.ledger().write(std::move(change)));
    }
}

async<void> job_record_pruner::drop(jobs::record_span span, std::optional<archive_mark> archived) {
    for (const auto& table : tables_by_span()) {
        if (archived) {
            CO_CHECK_OK(co_await archive_->confirm(table, span, *archived));
        }
        CO_CHECK_OK(co_await deps_.jobs.ledger().drop_partitions(table, span.until));
    }
    if (archived) {
        std::string last(jobs::jobs_table);
        CO_CHECK_OK(co_await archive_->confirm(std::move(last), span, *archived));
    }
    // Numbers are deleted before the jobs: the last row of `jobs` marks the span as finished.
    CO_CHECK_OK(co_await compatibility::erase_numbers_before(
        deps_.jobs.ledger(),
        std::string(compatibility::numbered::action),
        to_string(job_id_at(span.until))));
    co_return co_await erase_jobs(span);
}

async<std::size_t> job_record_pruner::prune() {
    if (options_.keep == std::chrono::hours(0)) co_return std::size_t{0};
    for (std::size_t count = 0;; ++count) {
        CO_TRY(const auto facts, co_await read_facts());
        const auto due = jobs::next_to_retire(facts, options_.keep, job_partitions());
        if (!due) {
            if (jobs::is_held_back(facts, options_.keep, job_partitions()))
                deps_.log.warning(
                    "expired job records kept: job is open or another job waits for it",
                    {{"job", to_string(*facts.oldest_needed)}});
            co_return count;
        }
        std::optional<archive_mark> archived;
        if (archive_) {
            CO_TRY(archived, co_await archive_->archive_span(*due));
        }
        CO_CHECK_OK(co_await drop(*due, archived));
        ++dropped_;
        deps_.log.info(
            "expired job records deleted",
            {{"from", day_of(due->from)},
             {"until", day_of(due->until)},
             {"archived", archive_ != nullptr}});
    }
}

boost::asio::awaitable<void> job_record_pruner::run(const std::atomic<bool>& active) {
    auto pause = options_.first_pause;
    while (true) {
        const auto slept = co_await deps_.clock.sleep_for(pause);
        if (!slept) co_return;
        pause = options_.interval;
        if (!active) continue;
        const auto outcome = co_await prune();
        if (outcome) continue;
        if (outcome.error().code() == errc::cancelled) co_return;
        ++failures_;
        deps_.log.warning("job record pruning failed", {{"error", to_string(outcome.error())}});
    }
}

void job_record_pruner::export_to(runtime::metrics& metrics) {
    metrics.watch_counter(
        {"muster_retention_spans_dropped_total",
         "Total number of time spans of expired job records deleted since start."},
        [this] { return static_cast<double>(dropped_); });
    metrics.watch_counter(
        {"muster_retention_failures_total",
         "Total number of failed job record pruning runs since start."},
        [this] { return static_cast<double>(failures_); });
    metrics.watch_counter(
        {"muster_archive_rows_total",
         "Total number of job records written to the archive since start."},
        [this] { return archive_ ? static_cast<double>(archive_->rows()) : 0.0; });
}

}  // namespace muster::retention
