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

// Presence history of a system. Thread-safe.
class history_api {
public:
    struct dependencies {
        const presence::history::reader& history;
        const cluster::topology_cache& topology;
        muster::clock& clock;
        std::chrono::hours retention;  // of presence history
        const systems_api& systems;
    };

    explicit history_api(dependencies deps) : deps_(std::move(deps)) {}

    result<void> declare(registry& operations);

private:
    struct span {
        wall_time since;
        wall_time until;
        bool until_now = false;
    };

    async<reply> show(call call);
    result<span> read_span(const call& call) const;
    async<presence::history::milestones> read_milestones(call call, system_record record) const;
    boost::json::object stage_json(const presence::history::stage_period& stage) const;

    dependencies deps_;
};

}  // namespace muster::api
