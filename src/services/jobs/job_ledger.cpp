#include "services/jobs/job_ledger.h"

#include "core/events/event_row.h"
#include "core/table/row_reader.h"
#include "services/jobs/job_notice.h"
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

void add_making(table::batch& to, const job_record& made, const job_audience& who) {
    to.writes.push_back(
        {.table = std::string(jobs_table), .rows = {encode_job(made, std::nullopt)}});
    to.writes.push_back(
        {.table = std::string(job_targets_table), .rows = {encode_audience(made.job, who)}});
    to.writes.push_back(told(notice_of_making(made)));
}

std::vector<job_id> ids_from(job_id first, std::size_t count) {
    std::vector<job_id> ids;
    for (; ids.size() < count; first = first.next()) ids.push_back(first);
    return ids;
}

std::vector<job_record> as_siblings(
    std::vector<job_ledger::heir> wanted, const std::vector<job_id>& ids) {
    std::vector<job_record> made;
    for (std::size_t n = 0; n < wanted.size(); ++n) {
        auto& record = made.emplace_back(std::move(wanted[n].record));
        record.job = ids[n];
        record.changed = made_at(record.job);
        record.targets = wanted[n].who.targets.size();
        record.spec.siblings = ids;
    }
    return made;
}

template <class Decode>
auto decode_all(const std::vector<table::row>& rows, Decode decode)
    -> result<std::vector<typename decltype(decode(rows.front()))::value_type>> {
    std::vector<typename decltype(decode(rows.front()))::value_type> read;
    read.reserve(rows.size());
    for (const auto& each : rows) {
        TRY(auto one, decode(each));
        read.push_back(std::move(one));
    }
    return read;
}

}  // namespace

async<bool> job_ledger::make_as(job_record wanted, job_audience who) {
    wanted.changed = made_at(wanted.job);
    wanted.targets = who.targets.size();
    table::batch all;
    add_making(all, wanted, who);
    const auto rows = table::row_count(all);
    CO_TRY(const auto done, co_await records_.write(std::move(all)));
    co_return done.changed == rows;
}

async<job_record> job_ledger::make(job_record wanted, job_audience who) {
    wanted.job = job_made_at(time_.wall());
    wanted.targets = who.targets.size();
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        wanted.changed = made_at(wanted.job);
        CO_TRY(const bool done, co_await make_as(wanted, who));
        if (done) co_return wanted;
        wanted.job = wanted.job.next();  // two were made in the same microsecond
    }
    co_return fail(errc::unavailable, "too many jobs are made at the same moment; try again");
}

async<std::vector<job_record>> job_ledger::make_heirs(std::vector<heir> wanted) {
    if (wanted.empty() || wanted.size() > heirs_max)
        co_return fail(errc::invalid, "from 1 to 100 jobs may take the place of one");
    auto next = job_made_at(time_.wall());
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const bool done, co_await make_together(next, wanted));
        const auto ids = ids_from(next, wanted.size());
        if (done) co_return as_siblings(std::move(wanted), ids);
        // One of the ids was taken in the same microsecond. Those that were written miss a sibling,
        // so they will be given up.
        next = ids.back().next();
    }
    co_return fail(errc::unavailable, "too many jobs are made at the same moment; try again");
}

async<bool> job_ledger::make_together(job_id first, std::vector<heir> wanted) {
    const auto made = as_siblings(wanted, ids_from(first, wanted.size()));
    table::batch all;
    for (std::size_t n = 0; n < made.size(); ++n) add_making(all, made[n], wanted[n].who);
    const auto rows = table::row_count(all);
    CO_TRY(const auto done, co_await records_.write(std::move(all)));
    co_return done.changed == rows;
}

async<bool> job_ledger::write(
    job_record before, job_record after, std::optional<task_counts> counts) {
    table::batch both;
    both.writes.push_back(
        {.table = std::string(jobs_table),
         .rows = {encode_job(after, counts)},
         .existing = table::replace_if_grows{"version"}});
    both.writes.push_back(told(notice_of_change(before, after, counts)));
    const auto rows = table::row_count(both);
    CO_TRY(const auto done, co_await records_.write(std::move(both)));
    co_return done.changed == rows;
}

async<job_record> job_ledger::change(
    job_id job, change_of_job change, std::optional<task_counts> counts) {
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const auto before, co_await find(job));
        CO_TRY(auto wanted, change(before.record));
        if (wanted == before.record) co_return wanted;
        wanted.version = before.record.version + 1;
        wanted.changed = time_.wall();
        auto writing = write(before.record, wanted, counts ? counts : before.counts);
        CO_TRY(const bool done, co_await std::move(writing));
        if (done) co_return wanted;
    }
    co_return fail(errc::unavailable, "the job is changed by others all the time; try again");
}

async<stored_job> job_ledger::find(job_id job) {
    CO_TRY(
        const auto page,
        co_await records_.read(
            {.table = std::string(jobs_table), .where = {equal("job", made_at(job))}, .limit = 1}));
    if (page.rows.empty()) co_return fail(errc::not_found, "there is no job " + to_string(job));
    co_return decode_job(page.rows.front());
}

async<job_audience> job_ledger::audience(job_id job) {
    CO_TRY(
        const auto page,
        co_await records_.read(
            {.table = std::string(job_targets_table),
             .where = {equal("job", made_at(job))},
             .limit = 1}));
    if (page.rows.empty())
        co_return fail(errc::not_found, "the targets of job " + to_string(job) + " are not kept");
    co_return decode_audience(page.rows.front());
}

async<job_ledger::listed> job_ledger::list(std::string after, std::size_t limit) {
    CO_TRY(
        const auto page,
        co_await records_.read(
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
async<std::vector<stored_job>> job_ledger::list_in(
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
        for (std::size_t found = 0; found < limit;) {
            CO_TRY(const auto page, co_await records_.read(question));
            CO_TRY(auto jobs, decode_all(page.rows, decode_job));
            found += jobs.size();
            std::ranges::move(jobs, std::back_inserter(all));
            question.after = page.next;
            if (page.next.empty()) break;
        }
    }
    std::ranges::sort(all, std::greater(), [](const stored_job& each) { return each.record.job; });
    if (all.size() > limit) all.resize(limit);
    co_return all;
}

async<std::vector<table::row>> job_ledger::read_open_rows() {
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
        CO_TRY(auto page, co_await records_.read(question));
        std::ranges::move(page.rows, std::back_inserter(all));
        question.after = page.next;
    } while (!question.after.empty());
    co_return all;
}

async<std::vector<stored_job>> job_ledger::read_open() {
    CO_TRY(const auto rows, co_await read_open_rows());
    co_return decode_all(rows, decode_job);
}

async<job_ledger::task_page> job_ledger::read_tasks(
    task_filter which, std::string after, std::size_t limit) {
    table::query question{
        .table = std::string(tasks_table),
        .where = {equal("job", made_at(which.job))},
        .after = std::move(after),
        .limit = limit};
    if (!which.states.empty()) {
        table::condition states{.column = "state", .compare = table::comparison::one_of};
        for (const auto each : which.states)
            states.values.emplace_back(std::string(to_string(each)));
        question.where.push_back(std::move(states));
    }
    if (!which.systems.empty()) {
        table::condition systems{.column = "system", .compare = table::comparison::one_of};
        for (const auto each : which.systems) systems.values.emplace_back(each);
        question.where.push_back(std::move(systems));
    }
    CO_TRY(const auto page, co_await records_.read(std::move(question)));
    CO_TRY(auto tasks, decode_all(page.rows, decode_task));
    co_return task_page{.tasks = std::move(tasks), .next = page.next};
}

async<std::optional<stored_task>> job_ledger::find_task(job_id job, std::int64_t system) {
    CO_TRY(auto page, co_await read_tasks({.job = job, .states = {}, .systems = {system}}, {}, 1));
    if (page.tasks.empty()) co_return std::nullopt;
    co_return std::move(page.tasks.front());
}

async<job_ledger::task_page> job_ledger::read_history(
    std::int64_t system, std::string after, std::size_t limit) {
    CO_TRY(
        const auto page,
        co_await records_.read(
            {.table = std::string(tasks_table),
             .where = {equal("system", system)},
             .order = {"job"},
             .going = table::direction::descending,
             .after = std::move(after),
             .limit = limit}));
    CO_TRY(auto tasks, decode_all(page.rows, decode_task));
    co_return task_page{.tasks = std::move(tasks), .next = page.next};
}

async<std::optional<payload>> job_ledger::find_payload(job_id job, std::string digest) {
    CO_TRY(
        const auto page,
        co_await records_.read(
            {.table = std::string(payloads_table),
             .where =
                 {equal("span", payload_span(job)),
                  equal("digest", table::blob{std::move(digest)})},
             .limit = 1}));
    if (page.rows.empty()) co_return std::nullopt;
    CO_TRY(auto read, decode_payload(page.rows.front()));
    co_return std::move(read);
}

async<std::set<std::string>> job_ledger::known_payloads(
    job_id job, std::vector<std::string> digests) {
    table::condition wanted{.column = "digest", .compare = table::comparison::one_of};
    for (auto& each : digests) wanted.values.emplace_back(table::blob{std::move(each)});
    const auto count = wanted.values.size();
    CO_TRY(
        const auto page,
        co_await records_.read(
            {.table = std::string(payload_digests_table),
             .where = {equal("span", payload_span(job)), std::move(wanted)},
             .limit = count}));
    std::set<std::string> known;
    for (const auto& each : page.rows) {
        table::row_reader in(payload_digests_table, each);
        static_cast<void>(in.take<wall_time>("span"));
        known.insert(in.take<table::blob>("digest").content);
        CO_CHECK_OK(in.finish());
    }
    co_return known;
}

async<void> job_ledger::lose_payload(payload_of_task which, std::string why) {
    CO_TRY(const auto known, co_await known_payloads(which.job, {which.digest}));
    if (known.contains(which.digest)) co_return result<void>();
    CO_TRY(auto found, co_await find_task(which.job, which.system));
    if (!found || !is_end(found->record.state)) co_return result<void>();
    auto& row = found->record;
    if (row.attempt != which.attempt || row.digest != which.digest) co_return result<void>();
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
    CO_CHECK_OK(co_await records_.write(std::move(change)));
    co_return result<void>();
}

}  // namespace muster::jobs
