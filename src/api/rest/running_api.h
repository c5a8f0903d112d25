#pragma once

#include "core/model/job.h"
#include "api/rest/job_targets.h"
#include "api/peer/node_line.h"
#include "api/operations/registry.h"

#include <boost/json/array.hpp>

#include <string>

namespace muster::api {

// What an agent runs at this moment, by its own word, and signals to that.
class running_api {
public:
    struct surroundings {
        const job_targets& targets;
        const node_line& nodes;
    };

    explicit running_api(surroundings around) : around_(around) {}

    result<void> declare(registry& to);

    // Where the agent is with a job's task, for people; empty: it does not say.
    async<std::string> where(system_number system, job_id job) const;

private:
    async<reply> list(call asked);
    async<reply> signal(call asked);
    async<boost::json::array> tell_node(system_number system, job_id job, std::string which) const;

    surroundings around_;
};

}  // namespace muster::api
