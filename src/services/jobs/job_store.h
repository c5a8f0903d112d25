#pragma once

#include "ports/clock.h"
#include "ports/ledger.h"
#include "services/jobs/job_row.h"
#include "services/jobs/task_row.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::jobs {

// The ledger's tables of jobs and tasks, record by record. Thread-safe.
class job_store {
public:
    job_store(muster::ledger& ledger, muster::clock& clock) : ledger_(ledger), clock_(clock) {}

    // One row for the job, one for its targets, whatever their number, and one for the event that
    // tells of it. Gives the record with the id it got. errc::timed_out: it may have been made.
    async<job_record> make(job_record job, job_targets job_targets);
    // The same with the id it has. False: there is a job of that id already.
    async<bool> make_as(job_record job, job_targets job_targets);

    // Several, all of them or none, that take the place of one (core/jobs/job_replacement.h): they
    // get ids and know each other by them. errc::invalid beyond heirs_max.
    using replacement_job = job_with_targets;  // with whose place it takes
    static constexpr std::size_t heirs_max = job_limits::together_max;
    async<std::vector<job_record>> make_heirs(std::vector<replacement_job> replacement_jobs);
    // Several jobs in one write, with ids from `first` on, by which they know each other. False:
    // some of these ids are others', and of those nothing was written.
    async<bool> make_together(job_id first, std::vector<replacement_job> replacement_jobs);

    // Reads, changes and writes a job, and tries again when somebody else was faster. What `change`
    // refuses comes back as it is; a record it leaves alone is not written.
    using change_of_job = std::function<result<job_record>(job_record)>;
    async<job_record> change(
        job_id job, change_of_job change, std::optional<task_counts> counts = std::nullopt);

    async<stored_job> find(job_id job);  // errc::not_found
    async<job_targets> audience(job_id job);

    struct listed {
        std::vector<stored_job> jobs;
        std::string next;
    };
    // Newest first.
    async<listed> list(std::string after, std::size_t limit);
    // Those in some stages alone, made before `below` if that is given; newest first, at most
    // `limit`.
    async<std::vector<stored_job>> list_in(
        std::set<job_stage> stages, std::optional<job_id> below, std::size_t limit);
    async<std::vector<stored_job>> read_open();
    // The same as they are stored, for whoever passes over those that cannot be read.
    async<std::vector<table::row>> read_open_rows();

    struct task_page {
        std::vector<stored_task> tasks;
        std::string next;
    };
    struct task_filter {
        job_id job;
        std::vector<task_state> states;  // empty: any
        std::vector<std::int64_t> systems =
            {};  // empty: any; at most table::query_limits::list_max
    };
    // In the order of systems' numbers.
    async<task_page> read_tasks(task_filter task_filter, std::string after, std::size_t limit);
    async<std::optional<stored_task>> find_task(job_id job, std::int64_t system);
    // The tasks of one system, newest job first.
    async<task_page> read_history(std::int64_t system, std::string after, std::size_t limit);

    async<std::optional<payload>> find_payload(job_id job, std::string digest);
    // Which of the digests, at most table::query_limits::list_max, are on record.
    async<std::set<std::string>> known_payloads(job_id job, std::vector<std::string> digests);
    struct payload_of_task {
        job_id job;
        std::int64_t system = 0;
        std::uint32_t attempt = 1;
        std::string digest;
    };
    // Nobody can bring it on record: the task says so, and waits for it no more. Changes nothing if
    // it is on record after all, or the task has another one by now.
    async<void> lose_payload(payload_of_task payload_of_task, std::string why);

    ledger& records() { return ledger_; }
    muster::clock& clock() { return clock_; }

private:
    async<bool> write(job_record before, job_record after, std::optional<task_counts> counts);

    ledger& ledger_;
    muster::clock& clock_;
};

}  // namespace muster::jobs
