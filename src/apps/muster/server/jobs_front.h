#pragma once

#include "adapters/net/http/router.h"
#include "apps/muster/server/window_sense.h"
#include "services/cluster/topology.h"
#include "services/fleet/fleet.h"
#include "api/rest/job_reader.h"
#include "api/rest/job_targets.h"
#include "api/rest/jobs_api.h"
#include "api/peer/node_line.h"
#include "api/operations/office.h"
#include "api/rest/output_api.h"
#include "api/rest/returns_api.h"
#include "api/rest/running_api.h"
#include "services/jobs/job_book.h"
#include "services/jobs/job_desk.h"
#include "services/jobs/job_ledger.h"
#include "services/jobs/task_board.h"
#include "services/presence/presence.h"
#include "services/windows/window_book.h"

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

    result<void> declare(api::registry& to);

    const api::job_targets& targets() const { return targets_; }
    const api::job_reader& reader() const { return reader_; }

    jobs::job_desk& desk() { return desk_; }

private:
    window_sense windows_;
    api::job_targets targets_;
    api::job_reader reader_;
    jobs::job_desk desk_;
    api::jobs_api jobs_;
    api::returns_api returns_;
    api::node_line nodes_;
    api::output_api output_;
    api::running_api running_;
};

}  // namespace muster::server
