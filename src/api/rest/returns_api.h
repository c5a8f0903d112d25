#pragma once

#include "core/jobs/why.h"
#include "services/cluster/topology.h"
#include "api/rest/job_reader.h"
#include "api/rest/job_targets.h"
#include "api/operations/registry.h"
#include "services/jobs/job_windows.h"

#include <boost/json/object.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace muster::api {

// What became of jobs on systems: their tasks, what these returned, what many returned alike, and
// why a task is where it is.
class returns_api {
public:
    struct surroundings {
        const job_reader& reads;
        const job_targets& targets;
        const cluster::topology_cell& places;
        clock& time;
        jobs::job_windows* windows = nullptr;  // null: nobody has any
        // Where an agent is with a job's task, by its own word; null: nobody can be asked.
        std::function<async<std::string>(system_number, job_id)> where = nullptr;
    };

    explicit returns_api(surroundings around) : around_(std::move(around)) {}

    result<void> declare(registry& to);

private:
    async<reply> list_tasks(call asked);
    async<reply> show_task(call asked);
    async<reply> explain(call asked);
    async<reply> group_results(call asked);
    async<reply> show_payload(call asked);
    async<reply> list_history(call asked);

    struct found_task {
        job_reader::reading of;
        system_number system;
        std::optional<task_record> row;
    };
    async<found_task> find_task(std::string job, std::string system) const;
    async<boost::json::array> rows_of(
        job_reader::reading of, std::vector<system_number> systems) const;
    // errc::not_found for a job with systems where the caller may not look.
    async<void> check_visible(call asked, job_id job) const;
    boost::json::object named(system_number system, boost::json::object task) const;
    // By number also one that has left the fleet: what it returned is still there.
    result<system_number> system_in(const std::string& text) const;
    async<jobs::task_situation> situation_of(found_task found) const;

    surroundings around_;
};

}  // namespace muster::api
