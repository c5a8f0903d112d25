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

// Drops what is on record of jobs for longer than it is to be kept, by whole spans of time, after
// it was archived if there is somewhere to. Whatever is interrupted is taken up again by the next
// round, here or on another server: the rows of jobs go last, and each step may be repeated.
//
// Works on one server at a time, that of the active driver. Lives on one strand, but for the
// counters.
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
        std::string server = {};                                // whose directory that is
        monotonic::duration first_pause = std::chrono::minutes(1);
        monotonic::duration interval = std::chrono::hours(1);
    };

    job_record_pruner(dependencies deps, options options);
    job_record_pruner(const job_record_pruner&) = delete;
    job_record_pruner& operator=(const job_record_pruner&) = delete;

    // Until it is cancelled; works while `active` says so.
    boost::asio::awaitable<void> run(const std::atomic<bool>& active);
    // One round; how many spans were dropped.
    async<std::size_t> tend();

    void export_to(runtime::metrics& metrics);

private:
    async<jobs::retention_facts> look();
    // Each table only if the mark, where there is one, covers it.
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
