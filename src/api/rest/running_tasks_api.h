#pragma once

#include "api/operations/registry.h"
#include "api/peer/node_client.h"
#include "core/model/job.h"
#include "services/fleet/target_resolver.h"

#include <boost/json/array.hpp>

#include <string>

namespace muster::api {

// Lists the tasks that an agent runs now, as the agent reports them, and sends signals to them.
// Thread-safe.
class running_tasks_api {
public:
    struct dependencies {
        const fleet::target_resolver& targets;
        const node_client& nodes;
    };

    explicit running_tasks_api(dependencies deps) : deps_(deps) {}

    result<void> declare(registry& operations);

    // The current step of a job's task, as text for users; empty: unknown.
    async<std::string> describe_progress(system_number system, job_id job) const;

private:
    async<reply> list(call call);
    async<reply> signal(call call);
    async<boost::json::array> send_signal(system_number system, job_id job, std::string name) const;

    dependencies deps_;
};

}  // namespace muster::api
