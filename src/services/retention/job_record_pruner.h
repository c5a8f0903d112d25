#pragma once

#include "core/jobs/retention.h"
#include "ports/clock.h"
#include "runtime/log.h"
#include "runtime/metrics.h"
#include "services/jobs/job_store.h"
#include "services/retention/job_archive.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace muster::retention {

// Deletes records of jobs after their retention period, by whole spans of time. Archives them first
// if a directory is set. The next run completes an interrupted one, here or on another server: rows
// of `jobs` are deleted last, and each step may be repeated.
//
// Runs on the server of the active driver. Not thread-safe except for the counters; call from one
// strand.
class job_record_pruner {
public:
    struct dependencies {
        jobs::job_store& jobs;
        muster::clock& clock;
        runtime::logger& log;
        table::schema schema;  // of the ledger
    };
    struct options {
        std::chrono::hours keep = std::chrono::hours(24 * 90);  // zero: for ever
        std::filesystem::path archive = {};                     // empty: none
        std::string server = {};                                // owner of the directory
        monotonic::duration first_pause = std::chrono::minutes(1);
        monotonic::duration interval = std::chrono::hours(1);
    };

    job_record_pruner(dependencies deps, options options);
    job_record_pruner(const job_record_pruner&) = delete;
    job_record_pruner& operator=(const job_record_pruner&) = delete;

    // Runs until it is cancelled. Pauses while `active` is false.
    boost::asio::awaitable<void> run(const std::atomic<bool>& active);
    // Deletes all expired spans and returns their number.
    async<std::size_t> prune();

    void export_to(runtime::metrics& metrics);

private:
    async<jobs::retention_facts> read_facts();
    // With a mark, deletes a table only if the mark covers it.
    async<void> drop(jobs::record_span span, std::optional<archive_mark> archived);
    async<void> erase_jobs(jobs::record_span span);

    dependencies deps_;
    options options_;
    std::unique_ptr<archive::archive_store> files_;
    std::unique_ptr<job_archive> archive_;
    std::atomic<std::uint64_t> dropped_ = 0;
    std::atomic<std::uint64_t> failures_ = 0;
};

}  // namespace muster::retention
