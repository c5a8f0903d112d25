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
std::shared_ptr<ledger> open_job_ledger(sim::cluster& cluster, process& host);
// Calendars here use only UTC.
windows::window_store::dependencies window_dependencies(
    muster::ledger& ledger, process& host, runtime::logger& log);

// One life of a simulated server with all roles that jobs need: product code over simulated ports,
// wired like the real server.
class jobs_server {
public:
    struct options {
        placement_server::options placement;
        const std::vector<system_record>* fleet = nullptr;
        const std::vector<job_kind>* kinds = nullptr;
        jobs_invariants* invariants = nullptr;
        jobs_channels::injected_bug injected_bug = jobs_channels::injected_bug::none;
        runtime::logger* log = nullptr;
    };

    jobs_server(sim::cluster& cluster, process& host, options options);

    void start();

    jobs::job_service& job_service() { return job_service_; }
    jobs::open_job_cache& open_jobs() { return open_jobs_; }
    jobs::task_state_cache& task_states() { return task_states_; }
    const rollout::task_scheduler& scheduler() const { return dispatcher_.scheduler(); }

private:
    dispatch::dispatcher::dependencies dispatcher_dependencies();

    process& host_;
    options options_;
    placement_server placement_;
    std::shared_ptr<ledger> ledger_;
    fleet::system_cache systems_;
    windows::window_store windows_;
    jobs::job_store job_store_;
    jobs::duration_reader durations_;
    jobs::open_job_cache open_jobs_;
    jobs::task_state_cache task_states_;
    jobs::job_supervisor supervisor_;
    jobs::quota_allocator quotas_;
    // All systems count as attached, so canaries are chosen among all targets.
    struct everybody_attached final : presence::presence_lookup {
        bool is_attached(system_number /*system*/) const override { return true; }
    };
    everybody_attached everybody_attached_;
    jobs::job_service job_service_;
    node::system_locator locator_;
    dispatch::task_inbox inbox_;
    jobs_channels channels_;
    dispatch::stored_windows stored_windows_;
    dispatch::dispatcher dispatcher_;
    dispatch::grant_reconciler grants_;
};

}  // namespace muster::sim
