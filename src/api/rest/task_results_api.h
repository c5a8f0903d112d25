#pragma once

#include "api/operations/registry.h"
#include "api/rest/job_detail_reader.h"
#include "api/rest/running_tasks_api.h"
#include "core/jobs/task_explanation.h"
#include "services/cluster/topology.h"
#include "services/fleet/target_resolver.h"
#include "services/jobs/job_windows.h"
#include "services/jobs/open_job_cache.h"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <vector>

namespace muster::api {

// Tasks of jobs, their results, grouped results, and explanations of task states. Thread-safe.
class task_results_api {
public:
    struct dependencies {
        const job_detail_reader& reader;
        const jobs::open_job_cache& open_jobs;
        const fleet::target_resolver& targets;
        const cluster::topology_cache& topology;
        muster::clock& clock;
        jobs::job_windows* windows = nullptr;  // null: no maintenance windows
        // Reads the progress of running tasks from agents; null: not available.
        const running_tasks_api* running_tasks = nullptr;
    };

    explicit task_results_api(dependencies deps) : deps_(std::move(deps)) {}

    result<void> declare(registry& operations);

private:
    async<reply> list_tasks(call call);
    async<reply> show_task(call call);
    async<reply> explain(call call);
    async<reply> group_results(call call);
    async<reply> show_payload(call call);
    async<reply> list_history(call call);

    struct job_task {
        job_detail_reader::job_detail detail;
        system_number system;
        std::optional<task_record> row;
    };
    async<job_task> find_task(std::string job, std::string system) const;
    async<boost::json::array> tasks_json(
        job_detail_reader::job_detail detail, std::vector<system_number> systems) const;
    // The tasks of a system that have not started yet, newest job first, at most `limit`.
    async<boost::json::array> queued_json(system_number system, std::size_t limit) const;
    // errc::not_found for a job with targets outside the caller's zones.
    async<void> check_visible(call call, job_id job) const;
    boost::json::object add_system(system_number system, boost::json::object task) const;
    // A number also finds a deleted system: its results still exist.
    result<system_number> find_system(const std::string& text) const;
    async<jobs::task_situation> read_situation(job_task job_task) const;

    dependencies deps_;
};

}  // namespace muster::api
