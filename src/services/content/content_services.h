#pragma once

#include "adapters/repository/repository_reader.h"
#include "runtime/metrics.h"
#include "runtime/task_group.h"
#include "services/cluster/engines.h"
#include "services/content/channel_sync_worker.h"
#include "services/content/content_number_allocator.h"
#include "services/content/content_service.h"
#include "services/content/content_store.h"
#include "services/content/package_sets.h"

namespace muster::content {

// The stores and services of software channels, packages and errata. Thread-safe except for run()
// of its parts.
struct content_services {
    // An aggregate of references.
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
    struct dependencies {
        cluster::engines engines;
        muster::clock& clock;
        runtime::logger& log;
        repository::repository_reader::options repositories = {};
    };

    explicit content_services(dependencies deps)
        : numbers(deps.engines.metastore),
          store(deps.engines.ledger, deps.clock, deps.log),
          sets(deps.engines.ledger, deps.clock),
          service(store, numbers),
          reader(deps.clock, deps.repositories),
          syncs(
              {.content = store,
               .numbers = numbers,
               .reader = reader,
               .clock = deps.clock,
               .log = deps.log}) {}

    void start(runtime::task_group& loops) {
        loops.spawn("follow the software channels", store.run());
    }
    void export_metrics(runtime::metrics& metrics) const { store.export_to(metrics); }

    content_number_allocator numbers;
    content_store store;
    package_sets sets;
    content_service service;
    repository::repository_reader reader;
    channel_sync_worker syncs;
};

}  // namespace muster::content
