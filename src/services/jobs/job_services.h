#pragma once

#include "runtime/metrics.h"
#include "runtime/task_group.h"
#include "services/jobs/duration_reader.h"
#include "services/jobs/job_store.h"
#include "services/jobs/open_job_cache.h"

namespace muster::jobs {

// Owns the job store, the cache of open jobs and the duration reader of a server. Thread-safe
// except for start().
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
    void export_metrics(runtime::metrics& metrics) const { open.export_to(metrics); }

    job_store store;
    open_job_cache open;
    duration_reader durations;
};

}  // namespace muster::jobs
