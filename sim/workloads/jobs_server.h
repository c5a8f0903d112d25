#pragma once

#include "roles/node/dispatch/dispatcher.h"
#include "roles/node/dispatch/grant_keeper.h"
#include "services/fleet/fleet.h"
#include "services/jobs/job_book.h"
#include "services/jobs/job_desk.h"
#include "services/jobs/job_ledger.h"
#include "services/jobs/quota_keeper.h"
#include "services/jobs/steward.h"
#include "services/jobs/task_board.h"
#include "roles/node/connections/whereabouts.h"
#include "services/windows/window_book.h"
#include "runtime/log.h"
#include "sim/workloads/jobs_channels.h"
#include "sim/workloads/placement_server.h"

#include <memory>
#include <optional>
#include <vector>

namespace muster::sim {

// The ledger of the cluster, as every process opens it.
std::shared_ptr<ledger> open_job_ledger(cluster& stage, process& host);
// Calendars need no zones but UTC here.
windows::window_book::surroundings window_surroundings(
    ledger& records, process& host, runtime::logger& log);

// One life of a simulated server with all roles that jobs need: the product's own code over
// simulated ports, wired as the real server wires it.
class jobs_server {
public:
    struct options {
        placement_server::options places;
        const std::vector<system_record>* fleet = nullptr;
        const std::vector<job_kind>* kinds = nullptr;
        jobs_rules* rules = nullptr;
        jobs_channels::habit habit = jobs_channels::habit::careful;
        runtime::logger* log = nullptr;
    };

    jobs_server(cluster& stage, process& host, options how);

    void start();

    jobs::job_desk& desk() { return desk_; }
    jobs::job_book& book() { return book_; }
    jobs::task_board& board() { return board_; }
    const rollout::engine& engine() const { return dispatcher_.engine(); }

private:
    dispatch::dispatcher::surroundings dispatcher_surroundings();
    dispatch::dispatcher::surroundings::window_state windows_now(
        const fleet::system_set& systems, const jobs::duration_history::measured& took) const;

    process& host_;
    options how_;
    placement_server places_;
    std::shared_ptr<ledger> records_;
    fleet::fleet systems_;
    windows::window_book windows_;
    jobs::job_ledger job_ledger_;
    jobs::job_book book_;
    jobs::task_board board_;
    jobs::steward steward_;
    jobs::quota_keeper quotas_;
    jobs::job_desk desk_;
    node::whereabouts known_;
    dispatch::dispatcher dispatcher_;
    dispatch::grant_keeper grants_;
    jobs_channels channels_;
};

}  // namespace muster::sim
