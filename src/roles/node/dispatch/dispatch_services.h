#pragma once

#include "roles/node/dispatch/dispatcher.h"
#include "roles/node/dispatch/grant_reconciler.h"
#include "roles/node/dispatch/stored_windows.h"
#include "roles/node/dispatch/task_inbox.h"
#include "runtime/task_group.h"
#include "services/cluster/cluster_services.h"
#include "services/jobs/job_services.h"

#include <string>
#include <utility>

namespace muster::dispatch {

// Owns the services that run the tasks of a node's systems, within windows and job quotas.
struct dispatch_services {
    struct dependencies {
        const cluster::cluster_services& cluster;
        jobs::job_services& jobs;
        const windows::window_store& windows;
        const fleet::system_cache& systems;
        task_inbox& inbox;
        connection_sender& agents;
        muster::clock& clock;
        runtime::logger& log;
    };

    // `process`: unique for each start of a server.
    dispatch_services(
        const dependencies& deps, const dispatcher::options& options, std::string process)
        : windows({.windows = deps.windows, .durations = deps.jobs.durations, .clock = deps.clock}),
          tasks(
              {.jobs = deps.jobs.store,
               .open_jobs = deps.jobs.open,
               .systems = deps.systems,
               .topology = deps.cluster.topology,
               .lease = deps.cluster.lease,
               .clock = deps.clock,
               .log = deps.log,
               .inbox = deps.inbox,
               .agents = deps.agents,
               .windows = windows},
              options),
          grants(
              {.metastore = deps.cluster.engines.metastore,
               .open_jobs = deps.jobs.open,
               .node = tasks,
               .topology = deps.cluster.topology,
               .lease = deps.cluster.lease,
               .clock = deps.clock,
               .log = deps.log},
              {.self = options.self, .process = std::move(process)}) {}

    void start(runtime::task_group& loops) {
        loops.spawn("read task reports", tasks.read_inbox());
        loops.spawn("check task deadlines", tasks.watch_clock());
        loops.spawn("follow systems of the node", tasks.follow_systems());
        loops.spawn("look up tasks", tasks.run_ledger_work());
        loops.spawn("write task results", tasks.write_results());
        loops.spawn("write payloads", tasks.write_payloads());
        loops.spawn("reconcile job grants", grants.run());
    }

    stored_windows windows;
    dispatcher tasks;
    grant_reconciler grants;
};

}  // namespace muster::dispatch
