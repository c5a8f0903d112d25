#pragma once

#include "adapters/net/http/router.h"
#include "apps/muster/server/window_sense.h"
#include "roles/cluster/topology.h"
#include "roles/fleet/fleet.h"
#include "roles/gateway/job_reader.h"
#include "roles/gateway/job_targets.h"
#include "roles/gateway/jobs_api.h"
#include "roles/gateway/node_line.h"
#include "roles/gateway/office.h"
#include "roles/gateway/output_api.h"
#include "roles/gateway/returns_api.h"
#include "roles/gateway/running_api.h"
#include "roles/jobs/job_book.h"
#include "roles/jobs/job_desk.h"
#include "roles/jobs/job_ledger.h"
#include "roles/jobs/task_board.h"
#include "roles/presence/presence.h"
#include "roles/windows/window_book.h"

#include <functional>
#include <string>

namespace muster::server {

// What a server with the role gateway has for people's jobs: where they are made, counted and
// shown.
class jobs_front {
public:
    struct surroundings {
        jobs::job_ledger& records;
        jobs::task_board& board;
        metastore& store;
        const fleet::fleet& systems;
        const presence::presence& seen;
        const cluster::topology_cell& places;
        const windows::window_book& windows;
        jobs::duration_reader& durations;
        clock& time;
        rollout::safe_limit safe;
        const jobs::job_book& open;
        std::size_t open_max;
        std::function<result<fleet::system_set>(const std::string& query)> resolve;
        std::function<fleet::system_set(const std::set<std::string>&, const fleet::system_set&)>
            in_zones;
        std::function<result<std::shared_ptr<const net::tls_client>>()> peer_tls;
    };

    explicit jobs_front(const surroundings& around);
    jobs_front(const jobs_front&) = delete;
    jobs_front& operator=(const jobs_front&) = delete;

    result<void> declare(gateway::registry& to);

    const gateway::job_targets& targets() const { return targets_; }
    const gateway::job_reader& reader() const { return reader_; }

    jobs::job_desk& desk() { return desk_; }

private:
    window_sense windows_;
    gateway::job_targets targets_;
    gateway::job_reader reader_;
    jobs::job_desk desk_;
    gateway::jobs_api jobs_;
    gateway::returns_api returns_;
    gateway::node_line nodes_;
    gateway::output_api output_;
    gateway::running_api running_;
};

}  // namespace muster::server
