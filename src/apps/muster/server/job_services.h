#pragma once

#include "adapters/net/http/router.h"
#include "api/operations/api_context.h"
#include "api/peer/node_client.h"
#include "api/rest/job_detail_reader.h"
#include "api/rest/jobs_api.h"
#include "api/rest/output_api.h"
#include "api/rest/running_tasks_api.h"
#include "api/rest/target_resolver.h"
#include "api/rest/task_results_api.h"
#include "apps/muster/server/job_window_service.h"
#include "services/cluster/topology.h"
#include "services/fleet/system_cache.h"
#include "services/jobs/job_service.h"
#include "services/jobs/job_store.h"
#include "services/jobs/open_job_cache.h"
#include "services/jobs/task_state_cache.h"
#include "services/presence/presence_cache.h"
#include "services/windows/window_store.h"

#include <functional>
#include <string>

namespace muster::server {

// What a server with the role gateway has for people's jobs: where they are made, counted and
// shown.
class job_services {
public:
    struct dependencies {
        jobs::job_store& records;
        jobs::task_state_cache& board;
        metastore& store;
        const fleet::system_cache& systems;
        const presence::presence_cache& seen;
        const cluster::topology_cache& places;
        const windows::window_store& windows;
        jobs::duration_reader& durations;
        clock& time;
        rollout::safe_limit safe;
        const jobs::open_job_cache& open;
        std::size_t open_max;
        std::function<result<fleet::system_set>(const std::string& query)> resolve;
        std::function<fleet::system_set(const std::set<std::string>&, const fleet::system_set&)>
            in_zones;
        std::function<result<std::shared_ptr<const net::tls_client>>()> peer_tls;
    };

    explicit job_services(const dependencies& deps);
    job_services(const job_services&) = delete;
    job_services& operator=(const job_services&) = delete;

    result<void> declare(api::registry& to);

    const api::target_resolver& targets() const { return targets_; }
    const api::job_detail_reader& reader() const { return reader_; }

    jobs::job_service& desk() { return desk_; }

private:
    job_window_service windows_;
    api::target_resolver targets_;
    api::job_detail_reader reader_;
    jobs::job_service desk_;
    api::jobs_api jobs_;
    api::task_results_api returns_;
    api::node_client nodes_;
    api::output_api output_;
    api::running_tasks_api running_;
};

}  // namespace muster::server
