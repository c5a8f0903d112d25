#pragma once

#include "api/operations/registry.h"
#include "api/rest/job_detail_reader.h"
#include "api/rest/running_tasks_api.h"
#include "core/jobs/why.h"
#include "services/cluster/topology.h"
#include "services/fleet/target_resolver.h"
#include "services/jobs/job_windows.h"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <vector>

namespace muster::api {

// What became of jobs on systems: their tasks, what these returned, what many returned alike, and
// why a task is where it is.
class task_results_api {
public:
    struct dependencies {
        const job_detail_reader& reader;
        const fleet::target_resolver& targets;
        const cluster::topology_cache& topology;
        muster::clock& clock;
        jobs::job_windows* windows = nullptr;  // null: nobody has any
        // Asks agents where they are with a job's task; null: nobody can be asked.
        const running_tasks_api* running = nullptr;
    };

    explicit task_results_api(dependencies deps) : deps_(std::move(deps)) {}

    result<void> declare(registry& to);

private:
    async<reply> list_tasks(call call);
    async<reply> show_task(call call);
    async<reply> explain(call call);
    async<reply> group_results(call call);
    async<reply> show_payload(call call);
    async<reply> list_history(call call);

    struct found_task {
        job_detail_reader::reading of;
        system_number system;
        std::optional<task_record> row;
    };
    async<found_task> find_task(std::string job, std::string system) const;
    async<boost::json::array> rows_of(
        job_detail_reader::reading of, std::vector<system_number> systems) const;
    // errc::not_found for a job with systems where the caller may not look.
    async<void> check_visible(call call, job_id job) const;
    boost::json::object named(system_number system, boost::json::object task) const;
    // By number also one that has left the fleet: what it returned is still there.
    result<system_number> system_in(const std::string& text) const;
    async<jobs::task_situation> situation_of(found_task found_task) const;

    dependencies deps_;
};

}  // namespace muster::api
