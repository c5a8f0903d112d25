#pragma once

#include "api/operations/registry.h"
#include "api/rest/systems_api.h"
#include "core/model/system.h"
#include "core/presence/system_stages.h"
#include "services/cluster/topology.h"
#include "services/presence/history_reader.h"

#include <boost/json/object.hpp>

#include <chrono>

namespace muster::api {

// Where a system was over time, and what became of it.
class history_api {
public:
    struct dependencies {
        const presence::history::reader& record;
        const cluster::topology_cache& topology;
        muster::clock& clock;
        std::chrono::hours keep;  // so long is it on record
        const systems_api& systems;
    };

    explicit history_api(dependencies deps) : deps_(std::move(deps)) {}

    result<void> declare(registry& to);

private:
    struct span {
        wall_time since;
        wall_time until;
        bool to_now = false;
    };

    async<reply> show(call call);
    result<span> span_of(const call& call) const;
    async<presence::history::milestones> life_of(call call, system_record record) const;
    boost::json::object told(const presence::history::stage& stage) const;

    dependencies deps_;
};

}  // namespace muster::api
