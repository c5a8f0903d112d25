#pragma once

#include "adapters/net/http/request.h"
#include "adapters/net/http/response.h"
#include "adapters/net/http/router.h"
#include "core/model/job.h"
#include "roles/gateway/job_targets.h"
#include "roles/gateway/node_line.h"
#include "roles/gateway/office.h"

#include <boost/json/array.hpp>

#include <string>

namespace muster::gateway {

// What an agent runs at this moment, by its own word, and signals to that:
//
// - GET  /api/v1/systems/{id}/running
// - POST /api/v1/systems/{id}/tasks/{job}/signal  {"signal": "term" | "kill" | "cancel"}
//
// Every signal is in the audit trail.
class running_api {
public:
    struct surroundings {
        const front_desk& desk;
        const job_targets& targets;
        const node_line& nodes;
        clock& time;
    };

    explicit running_api(surroundings around) : around_(around) {}

    result<void> add_routes(net::http::router& routes);

    // Where the agent is with a job's task, for people; empty: it does not say.
    async<std::string> where(system_number system, job_id job) const;

private:
    using answer = async<net::http::response>;

    answer list(net::http::request asked);
    answer signal(net::http::request asked);
    async<boost::json::array> tell_node(system_number system, job_id job, std::string which) const;
    static answer settled(answer work);

    surroundings around_;
};

}  // namespace muster::gateway
