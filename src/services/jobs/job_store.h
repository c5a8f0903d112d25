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

// Reads and writes jobs, tasks and payloads in the ledger. Thread-safe.
class job_store {
public:
    job_store(muster::ledger& ledger, muster::clock& clock) : ledger_(ledger), clock_(clock) {}

    // Writes one row for the job, one for all targets, and one for the event. Returns the record
    // with its new id. errc::timed_out: the job may have been created.
    async<job_record> create(job_record job, job_targets targets);
    // Creates the job with the id in its record. False: a job with that id exists already.
    async<bool> create_with_id(job_record job, job_targets targets);

    // Creates all replacements of one job, or none (core/jobs/job_replacement.h). Assigns the ids,
    // and writes them as siblings into every record. errc::invalid beyond replacements_max.
    static constexpr std::size_t replacements_max = job_limits::jobs_per_request_max;
    async<std::vector<job_record>> create_replacements(std::vector<job_with_targets> replacements);
    // Creates several jobs in one write, as siblings with consecutive ids from `first` on. False:
    // other jobs have some of these ids, and those were not written.
    async<bool> create_siblings(job_id first, std::vector<job_with_targets> jobs);

    // Reads, changes and writes a job; retries after a concurrent change. Returns the error of
    // `change`. Does not write a record that `change` leaves as it is.
    using job_change = std::function<result<job_record>(job_record)>;
    async<job_record> change(
        job_id job, job_change change, std::optional<task_counts> counts = std::nullopt);

    async<stored_job> find(job_id job);  // errc::not_found
    async<job_targets> find_targets(job_id job);

    struct job_page {
        std::vector<stored_job> jobs;
        std::string next;
    };
    // Newest first.
    async<job_page> list(std::string after, std::size_t limit);
    // Lists jobs in the given stages, newest first; if `below` is set, only jobs older than that.
    async<std::vector<stored_job>> list_in_stages(
        std::set<job_stage> stages, std::optional<job_id> below, std::size_t limit);
    async<std::vector<stored_job>> read_open();
    // Returns undecoded rows, for callers that skip unreadable rows.
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
    // Ordered by system number.
    async<task_page> read_tasks(task_filter filter, std::string after, std::size_t limit);
    async<std::optional<stored_task>> find_task(job_id job, std::int64_t system);
    // The tasks of one system, newest job first.
    async<task_page> read_history(std::int64_t system, std::string after, std::size_t limit);

    async<std::optional<payload>> find_payload(job_id job, std::string digest);
    // Returns those digests whose payload is stored. Takes at most table::query_limits::list_max.
    async<std::set<std::string>> find_digests(job_id job, std::vector<std::string> digests);
    struct task_payload {
        job_id job;
        std::int64_t system = 0;
        std::uint32_t attempt = 1;
        std::string digest;
    };
    // Records in the task that its payload is lost. Does nothing if the payload is stored after
    // all, or the task has another payload by now.
    async<void> mark_payload_lost(task_payload lost, std::string reason);

    muster::ledger& ledger() { return ledger_; }
    muster::clock& clock() { return clock_; }

private:
    async<bool> write(job_record before, job_record after, std::optional<task_counts> counts);

    muster::ledger& ledger_;
    muster::clock& clock_;
};

}  // namespace muster::jobs
