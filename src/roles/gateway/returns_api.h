#pragma once

#include "adapters/net/http/request.h"
#include "adapters/net/http/response.h"
#include "adapters/net/http/router.h"
#include "core/jobs/why.h"
#include "roles/cluster/topology.h"
#include "roles/gateway/job_reader.h"
#include "roles/gateway/job_targets.h"
#include "roles/gateway/office.h"

#include <boost/json/object.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace muster::gateway {

// What became of jobs on systems: their tasks, what these returned, what many returned alike, and
// why a task is where it is. Handlers run on any event loop.
class returns_api {
public:
    // What windows say about a system of a job that respects them.
    struct window_answer {
        std::optional<wall_time> opens;  // it may start from then on
        std::optional<std::string> why;  // it may not start now
    };
    using window_source = std::function<async<window_answer>(system_number, job_spec)>;

    struct surroundings {
        const front_desk& desk;
        const job_reader& reads;
        const job_targets& targets;
        const cluster::topology_cell& places;
        clock& time;
        window_source windows = nullptr;
        // Where an agent is with a job's task, by its own word; null: nobody can be asked.
        std::function<async<std::string>(system_number, job_id)> where = nullptr;
    };

    explicit returns_api(surroundings around) : around_(std::move(around)) {}

    result<void> add_routes(net::http::router& routes);

private:
    using answer = async<net::http::response>;

    answer list_tasks(net::http::request asked);
    answer show_task(net::http::request asked);
    answer explain(net::http::request asked);
    answer group_results(net::http::request asked);
    answer show_payload(net::http::request asked);
    answer list_history(net::http::request asked);

    struct found_task {
        job_reader::reading of;
        system_number system;
        std::optional<task_record> row;
    };
    async<found_task> find_task(std::string job, std::string system) const;
    async<boost::json::array> rows_of(
        job_reader::reading of, std::vector<system_number> systems) const;
    boost::json::object named(system_number system, boost::json::object task) const;
    // By number also one that has left the fleet: what it returned is still there.
    result<system_number> system_in(const std::string& text) const;
    async<jobs::task_situation> situation_of(found_task found) const;

    static answer settled(answer work);
    net::http::handler calling(answer (returns_api::*method)(net::http::request));

    surroundings around_;
};

}  // namespace muster::gateway
