#pragma once

#include "api/operations/registry.h"
#include "api/peer/node_client.h"
#include "core/model/job.h"
#include "services/fleet/target_resolver.h"

#include <boost/json/array.hpp>

#include <string>

namespace muster::api {

// What an agent runs at this moment, by its own word, and signals to that.
class running_tasks_api {
public:
    struct dependencies {
        const fleet::target_resolver& targets;
        const node_client& nodes;
    };

    explicit running_tasks_api(dependencies deps) : deps_(deps) {}

    result<void> declare(registry& to);

    // Where the agent is with a job's task, for people; empty: it does not say.
    async<std::string> where(system_number system, job_id job) const;

private:
    async<reply> list(call call);
    async<reply> signal(call call);
    async<boost::json::array> tell_node(system_number system, job_id job, std::string name) const;

    dependencies deps_;
};

}  // namespace muster::api
