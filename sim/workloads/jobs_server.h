#pragma once

#include "roles/node/connections/system_locator.h"
#include "roles/node/dispatch/dispatcher.h"
#include "roles/node/dispatch/grant_reconciler.h"
#include "roles/node/dispatch/stored_windows.h"
#include "roles/node/dispatch/task_inbox.h"
#include "runtime/log.h"
#include "services/fleet/system_cache.h"
#include "services/jobs/duration_reader.h"
#include "services/jobs/job_service.h"
#include "services/jobs/job_store.h"
#include "services/jobs/job_supervisor.h"
#include "services/jobs/open_job_cache.h"
#include "services/jobs/quota_allocator.h"
#include "services/jobs/task_state_cache.h"
#include "services/presence/presence_lookup.h"
#include "services/windows/window_store.h"
#include "sim/workloads/jobs_channels.h"
#include "sim/workloads/placement_server.h"

#include <memory>
#include <optional>
#include <vector>

namespace muster::sim {

// The ledger of the cluster, as every process opens it.
std::shared_ptr<ledger> open_job_ledger(cluster& stage, process& host);
// Calendars need no zones but UTC here.
windows::window_store::dependencies window_surroundings(
    muster::ledger& ledger, process& host, runtime::logger& log);

// One life of a simulated server with all roles that jobs need: the product's own code over
// simulated ports, wired as the real server wires it.
class jobs_server {
public:
    struct options {
        placement_server::options places;
        const std::vector<system_record>* fleet = nullptr;
        const std::vector<job_kind>* kinds = nullptr;
        jobs_invariants* rules = nullptr;
        jobs_channels::habit habit = jobs_channels::habit::careful;
        runtime::logger* log = nullptr;
    };

    jobs_server(cluster& stage, process& host, options options);

    void start();

    jobs::job_service& desk() { return desk_; }
    jobs::open_job_cache& book() { return book_; }
    jobs::task_state_cache& board() { return board_; }
    const rollout::task_scheduler& scheduler() const { return dispatcher_.scheduler(); }

private:
    dispatch::dispatcher::dependencies dispatcher_surroundings();

    process& host_;
    options options_;
    placement_server places_;
    std::shared_ptr<ledger> records_;
    fleet::system_cache systems_;
    windows::window_store windows_;
    jobs::job_store job_store_;
    jobs::duration_reader durations_;
    jobs::open_job_cache book_;
    jobs::task_state_cache board_;
    jobs::job_supervisor steward_;
    jobs::quota_allocator quotas_;
    // Canaries are chosen among all targets.
    struct everybody_attached final : presence::presence_lookup {
        bool attached(system_number /*system*/) const override { return true; }
    };
    everybody_attached everybody_attached_;
    jobs::job_service desk_;
    node::system_locator known_;
    dispatch::task_inbox inbox_;
    jobs_channels channels_;
    dispatch::stored_windows stored_windows_;
    dispatch::dispatcher dispatcher_;
    dispatch::grant_reconciler grants_;
};

}  // namespace muster::sim
