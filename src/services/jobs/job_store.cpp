#include "services/jobs/job_store.h"

#include "core/events/event_row.h"
#include "core/table/row_reader.h"
#include "services/jobs/job_event_builder.h"
#include "services/jobs/job_tables.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace muster::jobs {
namespace {

constexpr int attempts_max = 16;
constexpr std::size_t open_jobs_page = 1'000;

table::condition equal(std::string column, table::value value) {
    return {
        .column = std::move(column),
        .compare = table::comparison::equal,
        .values = {std::move(value)}};
}

table::write event_write(const event_record& event) {
    return {.table = std::string(events::events_table), .rows = {events::encode_event(event)}};
}

void add_new_job(table::batch& batch, const job_record& job, const job_targets& targets) {
    batch.writes.push_back(
        {.table = std::string(jobs_table), .rows = {encode_job(job, std::nullopt)}});
    batch.writes.push_back(
        {.table = std::string(job_targets_table), .rows = {encode_targets(job.job, targets)}});
    batch.writes.push_back(event_write(job_created_event(job)));
}

std::vector<job_id> ids_from(job_id first, std::size_t count) {
    std::vector<job_id> ids;
    for (; ids.size() < count; first = first.next()) ids.push_back(first);
    return ids;
}

std::vector<job_record> to_siblings(
    std::vector<job_with_targets> jobs, const std::vector<job_id>& ids) {
    std::vector<job_record> records;
    for (std::size_t index = 0; index < jobs.size(); ++index) {
        auto& record = records.emplace_back(std::move(jobs[index].record));
        record.job = ids[index];
        record.changed = created_at(record.job);
        record.targets = jobs[index].targets.systems.size();
        record.spec.siblings = ids;
    }
    return records;
}

template <class Decode>
auto decode_all(const std::vector<table::row>& rows, Decode decode)
    -> result<std::vector<typename decltype(decode(rows.front()))::value_type>> {
    std::vector<typename decltype(decode(rows.front()))::value_type> records;
    records.reserve(rows.size());
    for (const auto& row : rows) {
        TRY(auto record, decode(row));
        records.push_back(std::move(record));
    }
    return records;
}

}  // namespace

async<bool> job_store::create_with_id(job_record job, job_targets targets) {
    job.changed = created_at(job.job);
    job.targets = targets.systems.size();
    table::batch batch;
    add_new_job(batch, job, targets);
    const auto rows = table::row_count(batch);
    CO_TRY(const auto outcome, co_await ledger_.write(std::move(batch)));
    co_return outcome.changed == rows;
}

async<job_record> job_store::create(job_record job, job_targets targets) {
    job.job = job_id_at(clock_.wall());
    job.targets = targets.systems.size();
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        job.changed = created_at(job.job);
        CO_TRY(const bool created, co_await create_with_id(job, targets));
        if (created) co_return job;
        job.job = job.job.next();  // two were made in the same microsecond
    }
    co_return fail(errc::unavailable, "too many jobs created concurrently; retry");
}

async<std::vector<job_record>> job_store::create_replacements(
    std::vector<job_with_targets> replacements) {
    if (replacements.empty() || replacements.size() > replacements_max)
        co_return fail(errc::invalid, "a job must be replaced by 1 to 100 jobs");
    auto first = job_id_at(clock_.wall());
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const bool created, co_await create_siblings(first, replacements));
        const auto ids = ids_from(first, replacements.size());
        if (created) co_return to_siblings(std::move(replacements), ids);
        // Another job got one of the ids in the same microsecond. The jobs that were written miss a
        // sibling, so the supervisor abandons them.
        first = ids.back().next();
    }
    co_return fail(errc::unavailable, "too many jobs created concurrently; retry");
}

async<bool> job_store::create_siblings(job_id first, std::vector<job_with_targets> jobs) {
    const auto records = to_siblings(jobs, ids_from(first, jobs.size()));
    table::batch batch;
    for (std::size_t index = 0; index < records.size(); ++index)
        add_new_job(batch, records[index], jobs[index].targets);
    const auto rows = table::row_count(batch);
    CO_TRY(const auto outcome, co_await ledger_.write(std::move(batch)));
    co_return outcome.changed == rows;
}

async<bool> job_store::write(
    job_record before, job_record after, std::optional<task_counts> counts) {
    table::batch batch;
    batch.writes.push_back(
        {.table = std::string(jobs_table),
         .rows = {encode_job(after, counts)},
         .existing = table::replace_if_grows{"version"}});
    batch.writes.push_back(event_write(job_changed_event(before, after, counts)));
    const auto rows = table::row_count(batch);
    CO_TRY(const auto outcome, co_await ledger_.write(std::move(batch)));
    co_return outcome.changed == rows;
}

async<job_record> job_store::change(
    job_id job, job_change change, std::optional<task_counts> counts) {
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const auto before, co_await find(job));
        CO_TRY(auto after, change(before.record));
        if (after == before.record) co_return after;
        after.version = before.record.version + 1;
        after.changed = clock_.wall();
        auto writing = write(before.record, after, counts ? counts : before.counts);
        CO_TRY(const bool written, co_await std::move(writing));
        if (written) co_return after;
    }
    co_return fail(
        errc::unavailable, "job \"" + to_string(job) + "\" was modified concurrently; retry");
}

async<stored_job> job_store::find(job_id job) {
    CO_TRY(
        const auto page,
        co_await ledger_.read(
            {.table = std::string(jobs_table),
             .where = {equal("job", created_at(job))},
             .limit = 1}));
    if (page.rows.empty())
        co_return fail(errc::not_found, "job \"" + to_string(job) + "\" not found");
    co_return decode_job(page.rows.front());
}

async<job_targets> job_store::find_targets(job_id job) {
    CO_TRY(
        const auto page,
        co_await ledger_.read(
            {.table = std::string(job_targets_table),
             .where = {equal("job", created_at(job))},
             .limit = 1}));
    if (page.rows.empty())
        co_return fail(errc::not_found, "targets of job \"" + to_string(job) + "\" not found");
    co_return decode_targets(page.rows.front());
}

async<job_store::job_page> job_store::list(std::string after, std::size_t limit) {
    CO_TRY(
        const auto page,
        co_await ledger_.read(
            {.table = std::string(jobs_table),
             .order = {"job"},
             .going = table::direction::descending,
             .after = std::move(after),
             .limit = limit}));
    CO_TRY(auto jobs, decode_all(page.rows, decode_job));
    co_return job_page{.jobs = std::move(jobs), .next = page.next};
}

// Reads stage by stage, as the index is ordered. An engine without statistics then finds a few jobs
// among many without a scan.
async<std::vector<stored_job>> job_store::list_in_stages(
    std::set<job_stage> stages, std::optional<job_id> below, std::size_t limit) {
    std::vector<stored_job> matches;
    for (const auto stage : stages) {
        table::query query{
            .table = std::string(jobs_table),
            .where = {equal("stage", std::string(to_string(stage)))},
            .order = {"job"},
            .going = table::direction::descending,
            .limit = limit};
        if (below)
            query.where.push_back(
                {.column = "job",
                 .compare = table::comparison::less,
                 .values = {created_at(*below)}});
        // A page of large rows may hold fewer rows than asked for.
        for (std::size_t count = 0; count < limit;) {
            CO_TRY(const auto page, co_await ledger_.read(query));
            CO_TRY(auto jobs, decode_all(page.rows, decode_job));
            count += jobs.size();
            std::ranges::move(jobs, std::back_inserter(matches));
            query.after = page.next;
            if (page.next.empty()) break;
        }
    }
    std::ranges::sort(
        matches, std::greater(), [](const stored_job& job) { return job.record.job; });
    if (matches.size() > limit) matches.resize(limit);
    co_return matches;
}

async<std::vector<table::row>> job_store::read_open_rows() {
    table::query query{
        .table = std::string(jobs_table),
        .where =
            {{.column = "stage",
              .compare = table::comparison::one_of,
              .values =
                  {std::string(to_string(job_stage::open)),
                   std::string(to_string(job_stage::paused)),
                   std::string(to_string(job_stage::cancelling))}}},
        .order = {"stage", "job"},
        .limit = open_jobs_page};
    std::vector<table::row> rows;
    do {
        CO_TRY(auto page, co_await ledger_.read(query));
        std::ranges::move(page.rows, std::back_inserter(rows));
        query.after = page.next;
    } while (!query.after.empty());
    co_return rows;
}

async<std::vector<stored_job>> job_store::read_open() {
    CO_TRY(const auto rows, co_await read_open_rows());
    co_return decode_all(rows, decode_job);
}

async<job_store::task_page> job_store::read_tasks(
    task_filter filter, std::string after, std::size_t limit) {
    table::query query{
        .table = std::string(tasks_table),
        .where = {equal("job", created_at(filter.job))},
        .after = std::move(after),
        .limit = limit};
    if (!filter.states.empty()) {
        table::condition states{.column = "state", .compare = table::comparison::one_of};
        for (const auto state : filter.states)
            states.values.emplace_back(std::string(to_string(state)));
        query.where.push_back(std::move(states));
    }
    if (!filter.systems.empty()) {
        table::condition systems{.column = "system", .compare = table::comparison::one_of};
        for (const auto system : filter.systems) systems.values.emplace_back(system);
        query.where.push_back(std::move(systems));
    }
    CO_TRY(const auto page, co_await ledger_.read(std::move(query)));
    CO_TRY(auto tasks, decode_all(page.rows, decode_task));
    co_return task_page{.tasks = std::move(tasks), .next = page.next};
}

async<std::optional<stored_task>> job_store::find_task(job_id job, std::int64_t system) {
    CO_TRY(auto page, co_await read_tasks({.job = job, .states = {}, .systems = {system}}, {}, 1));
    if (page.tasks.empty()) co_return std::nullopt;
    co_return std::move(page.tasks.front());
}

async<job_store::task_page> job_store::read_history(
    std::int64_t system, std::string after, std::size_t limit) {
    CO_TRY(
        const auto page,
        co_await ledger_.read(
            {.table = std::string(tasks_table),
             .where = {equal("system", system)},
             .order = {"job"},
             .going = table::direction::descending,
             .after = std::move(after),
             .limit = limit}));
    CO_TRY(auto tasks, decode_all(page.rows, decode_task));
    co_return task_page{.tasks = std::move(tasks), .next = page.next};
}

async<std::optional<payload>> job_store::find_payload(job_id job, std::string digest) {
    CO_TRY(
        const auto page,
        co_await ledger_.read(
            {.table = std::string(payloads_table),
             .where =
                 {equal("span", payload_span(job)),
                  equal("digest", table::blob{std::move(digest)})},
             .limit = 1}));
    if (page.rows.empty()) co_return std::nullopt;
    CO_TRY(auto stored, decode_payload(page.rows.front()));
    co_return std::move(stored);
}

async<std::set<std::string>> job_store::find_digests(job_id job, std::vector<std::string> digests) {
    table::condition condition{.column = "digest", .compare = table::comparison::one_of};
    for (auto& digest : digests) condition.values.emplace_back(table::blob{std::move(digest)});
    const auto count = condition.values.size();
    CO_TRY(
        const auto page,
        co_await ledger_.read(
            {.table = std::string(payload_digests_table),
             .where = {equal("span", payload_span(job)), std::move(condition)},
             .limit = count}));
    std::set<std::string> existing;
    for (const auto& row : page.rows) {
        table::row_reader reader(payload_digests_table, row);
        static_cast<void>(reader.take<wall_time>("span"));
        existing.insert(reader.take<table::blob>("digest").content);
        CO_CHECK_OK(reader.finish());
    }
    co_return existing;
}

async<void> job_store::mark_payload_lost(task_payload lost, std::string reason) {
    CO_TRY(const auto existing, co_await find_digests(lost.job, {lost.digest}));
    if (existing.contains(lost.digest)) co_return result<void>();
    CO_TRY(auto task, co_await find_task(lost.job, lost.system));
    if (!task || !is_final(task->record.state)) co_return result<void>();
    auto& row = task->record;
    if (row.attempt != lost.attempt || row.digest != lost.digest) co_return result<void>();
    row.digest.clear();
    row.payload_size = 0;
    row.truncated = true;
    row.reason += (row.reason.empty() ? "" : "; ") + std::string("output lost: ") + reason;
    table::batch change;
    // An end reported by the agent is final: no other writer changes this row.
    change.writes.push_back(
        {.table = std::string(tasks_table),
         .rows = {encode_task(row)},
         .existing = table::replace{}});
    CO_CHECK_OK(co_await ledger_.write(std::move(change)));
    co_return result<void>();
}

}  // namespace muster::jobs
