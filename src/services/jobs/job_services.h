#pragma once

#include "runtime/metrics.h"
#include "runtime/task_group.h"
#include "services/jobs/duration_reader.h"
#include "services/jobs/job_store.h"
#include "services/jobs/open_job_cache.h"

namespace muster::jobs {

// The jobs of the cluster, as every server knows them. Thread-safe but for its loops.
struct job_services {
    struct dependencies {
        muster::ledger& ledger;
        muster::clock& clock;
        runtime::logger& log;
    };

    explicit job_services(const dependencies& deps)
        : store(deps.ledger, deps.clock),
          open(store, deps.log, {}),
          durations(store, deps.clock, {}) {}

    void start(runtime::task_group& loops) { loops.spawn("follow the jobs", open.run()); }
    void export_metrics(runtime::metrics& to) const { open.export_to(to); }

    job_store store;
    open_job_cache open;
    duration_reader durations;
};

}  // namespace muster::jobs
