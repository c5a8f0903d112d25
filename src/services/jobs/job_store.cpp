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

table::condition equal(std::string column, table::value to) {
    return {
        .column = std::move(column),
        .compare = table::comparison::equal,
        .values = {std::move(to)}};
}

table::write told(const event_record& event) {
    return {.table = std::string(events::events_table), .rows = {events::encode_event(event)}};
}

void add_making(table::batch& to, const job_record& job, const job_targets& job_targets) {
    to.writes.push_back(
        {.table = std::string(jobs_table), .rows = {encode_job(job, std::nullopt)}});
    to.writes.push_back(
        {.table = std::string(job_targets_table), .rows = {encode_audience(job.job, job_targets)}});
    to.writes.push_back(told(notice_of_making(job)));
}

std::vector<job_id> ids_from(job_id first, std::size_t count) {
    std::vector<job_id> ids;
    for (; ids.size() < count; first = first.next()) ids.push_back(first);
    return ids;
}

std::vector<job_record> as_siblings(
    std::vector<job_store::replacement_job> heirs, const std::vector<job_id>& ids) {
    std::vector<job_record> result;
    for (std::size_t n = 0; n < heirs.size(); ++n) {
        auto& record = result.emplace_back(std::move(heirs[n].record));
        record.job = ids[n];
        record.changed = made_at(record.job);
        record.targets = heirs[n].who.targets.size();
        record.spec.siblings = ids;
    }
    return result;
}

template <class Decode>
auto decode_all(const std::vector<table::row>& rows, Decode decode)
    -> result<std::vector<typename decltype(decode(rows.front()))::value_type>> {
    std::vector<typename decltype(decode(rows.front()))::value_type> read;
    read.reserve(rows.size());
    for (const auto& row : rows) {
        TRY(auto one, decode(row));
        read.push_back(std::move(one));
    }
    return read;
}

}  // namespace

async<bool> job_store::make_as(job_record job, job_targets job_targets) {
    job.changed = made_at(job.job);
    job.targets = job_targets.targets.size();
    table::batch all;
    add_making(all, job, job_targets);
    const auto rows = table::row_count(all);
    CO_TRY(const auto done, co_await ledger_.write(std::move(all)));
    co_return done.changed == rows;
}

async<job_record> job_store::make(job_record job, job_targets job_targets) {
    job.job = job_made_at(clock_.wall());
    job.targets = job_targets.targets.size();
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        job.changed = made_at(job.job);
        CO_TRY(const bool done, co_await make_as(job, job_targets));
        if (done) co_return job;
        job.job = job.job.next();  // two were made in the same microsecond
    }
    co_return fail(errc::unavailable, "too many jobs are made at the same moment; try again");
}

async<std::vector<job_record>> job_store::make_heirs(
    std::vector<replacement_job> replacement_jobs) {
    if (replacement_jobs.empty() || replacement_jobs.size() > heirs_max)
        co_return fail(errc::invalid, "from 1 to 100 jobs may take the place of one");
    auto next = job_made_at(clock_.wall());
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const bool done, co_await make_together(next, replacement_jobs));
        const auto ids = ids_from(next, replacement_jobs.size());
        if (done) co_return as_siblings(std::move(replacement_jobs), ids);
        // One of the ids was taken in the same microsecond. Those that were written miss a sibling,
        // so they will be given up.
        next = ids.back().next();
    }
    co_return fail(errc::unavailable, "too many jobs are made at the same moment; try again");
}

async<bool> job_store::make_together(job_id first, std::vector<replacement_job> replacement_jobs) {
    const auto result = as_siblings(replacement_jobs, ids_from(first, replacement_jobs.size()));
    table::batch all;
    for (std::size_t n = 0; n < result.size(); ++n)
        add_making(all, result[n], replacement_jobs[n].who);
    const auto rows = table::row_count(all);
    CO_TRY(const auto done, co_await ledger_.write(std::move(all)));
    co_return done.changed == rows;
}

async<bool> job_store::write(
    job_record before, job_record after, std::optional<task_counts> counts) {
    table::batch both;
    both.writes.push_back(
        {.table = std::string(jobs_table),
         .rows = {encode_job(after, counts)},
         .existing = table::replace_if_grows{"version"}});
    both.writes.push_back(told(notice_of_change(before, after, counts)));
    const auto rows = table::row_count(both);
    CO_TRY(const auto done, co_await ledger_.write(std::move(both)));
    co_return done.changed == rows;
}

async<job_record> job_store::change(
    job_id job, change_of_job change, std::optional<task_counts> counts) {
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const auto before, co_await find(job));
        CO_TRY(auto desired, change(before.record));
        if (desired == before.record) co_return desired;
        desired.version = before.record.version + 1;
        desired.changed = clock_.wall();
        auto writing = write(before.record, desired, counts ? counts : before.counts);
        CO_TRY(const bool done, co_await std::move(writing));
        if (done) co_return desired;
    }
    co_return fail(errc::unavailable, "the job is changed by others all the time; try again");
}

async<stored_job> job_store::find(job_id job) {
    CO_TRY(
        const auto page,
        co_await ledger_.read(
            {.table = std::string(jobs_table), .where = {equal("job", made_at(job))}, .limit = 1}));
    if (page.rows.empty()) co_return fail(errc::not_found, "there is no job " + to_string(job));
    co_return decode_job(page.rows.front());
}

async<job_targets> job_store::audience(job_id job) {
    CO_TRY(
        const auto page,
        co_await ledger_.read(
            {.table = std::string(job_targets_table),
             .where = {equal("job", made_at(job))},
             .limit = 1}));
    if (page.rows.empty())
        co_return fail(errc::not_found, "the targets of job " + to_string(job) + " are not kept");
    co_return decode_audience(page.rows.front());
}

async<job_store::listed> job_store::list(std::string after, std::size_t limit) {
    CO_TRY(
        const auto page,
        co_await ledger_.read(
            {.table = std::string(jobs_table),
             .order = {"job"},
             .going = table::direction::descending,
             .after = std::move(after),
             .limit = limit}));
    CO_TRY(auto jobs, decode_all(page.rows, decode_job));
    co_return listed{.jobs = std::move(jobs), .next = page.next};
}

// Stage by stage, as the index has them: few of many jobs are found at once, also by an engine
// without statistics.
async<std::vector<stored_job>> job_store::list_in(
    std::set<job_stage> stages, std::optional<job_id> below, std::size_t limit) {
    std::vector<stored_job> all;
    for (const auto stage : stages) {
        table::query question{
            .table = std::string(jobs_table),
            .where = {equal("stage", std::string(to_string(stage)))},
            .order = {"job"},
            .going = table::direction::descending,
            .limit = limit};
        if (below)
            question.where.push_back(
                {.column = "job", .compare = table::comparison::less, .values = {made_at(*below)}});
        // A page that ends early because its rows are large is followed by another.
        for (std::size_t match = 0; match < limit;) {
            CO_TRY(const auto page, co_await ledger_.read(question));
            CO_TRY(auto jobs, decode_all(page.rows, decode_job));
            match += jobs.size();
            std::ranges::move(jobs, std::back_inserter(all));
            question.after = page.next;
            if (page.next.empty()) break;
        }
    }
    std::ranges::sort(
        all, std::greater(), [](const stored_job& stored_job) { return stored_job.record.job; });
    if (all.size() > limit) all.resize(limit);
    co_return all;
}

async<std::vector<table::row>> job_store::read_open_rows() {
    table::query question{
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
    std::vector<table::row> all;
    do {
        CO_TRY(auto page, co_await ledger_.read(question));
        std::ranges::move(page.rows, std::back_inserter(all));
        question.after = page.next;
    } while (!question.after.empty());
    co_return all;
}

async<std::vector<stored_job>> job_store::read_open() {
    CO_TRY(const auto rows, co_await read_open_rows());
    co_return decode_all(rows, decode_job);
}

async<job_store::task_page> job_store::read_tasks(
    task_filter task_filter, std::string after, std::size_t limit) {
    table::query question{
        .table = std::string(tasks_table),
        .where = {equal("job", made_at(task_filter.job))},
        .after = std::move(after),
        .limit = limit};
    if (!task_filter.states.empty()) {
        table::condition states{.column = "state", .compare = table::comparison::one_of};
        for (const auto state : task_filter.states)
            states.values.emplace_back(std::string(to_string(state)));
        question.where.push_back(std::move(states));
    }
    if (!task_filter.systems.empty()) {
        table::condition systems{.column = "system", .compare = table::comparison::one_of};
        for (const auto system : task_filter.systems) systems.values.emplace_back(system);
        question.where.push_back(std::move(systems));
    }
    CO_TRY(const auto page, co_await ledger_.read(std::move(question)));
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
    CO_TRY(auto read, decode_payload(page.rows.front()));
    co_return std::move(read);
}

async<std::set<std::string>> job_store::known_payloads(
    job_id job, std::vector<std::string> digests) {
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
        table::row_reader in(payload_digests_table, row);
        static_cast<void>(in.take<wall_time>("span"));
        existing.insert(in.take<table::blob>("digest").content);
        CO_CHECK_OK(in.finish());
    }
    co_return existing;
}

async<void> job_store::lose_payload(payload_of_task payload_of_task, std::string why) {
    CO_TRY(
        const auto existing,
        co_await known_payloads(payload_of_task.job, {payload_of_task.digest}));
    if (existing.contains(payload_of_task.digest)) co_return result<void>();
    CO_TRY(auto task, co_await find_task(payload_of_task.job, payload_of_task.system));
    if (!task || !is_end(task->record.state)) co_return result<void>();
    auto& row = task->record;
    if (row.attempt != payload_of_task.attempt || row.digest != payload_of_task.digest)
        co_return result<void>();
    row.digest.clear();
    row.payload_size = 0;
    row.truncated = true;
    row.reason += (row.reason.empty() ? "" : "; ") + std::string("the output is lost: ") + why;
    table::batch change;
    // An end that its agent told stands; nobody writes this row any more.
    change.writes.push_back(
        {.table = std::string(tasks_table),
         .rows = {encode_task(row)},
         .existing = table::replace{}});
    CO_CHECK_OK(co_await ledger_.write(std::move(change)));
    co_return result<void>();
}

}  // namespace muster::jobs
