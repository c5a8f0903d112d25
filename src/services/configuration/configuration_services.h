#pragma once

#include "runtime/metrics.h"
#include "runtime/task_group.h"
#include "services/cluster/engines.h"
#include "services/configuration/config_channel_store.h"

namespace muster::configuration {

// The stores of configuration channels, files and system profiles. Thread-safe except for the
// followers' run().
struct configuration_services {
    struct dependencies {
        cluster::engines engines;
        muster::clock& clock;
        runtime::logger& log;
    };

    explicit configuration_services(dependencies deps)
        : numbers(deps.engines.metastore),
          records(deps.engines.ledger, deps.clock, deps.log),
          files(deps.engines.ledger, deps.clock),
          profiles(deps.engines.ledger, deps.clock, deps.log),
          channels(
              {.numbers = deps.engines.metastore,
               .records = records,
               .files = files,
               .profiles = profiles,
               .clock = deps.clock}) {}

    void start(runtime::task_group& loops) {
        loops.spawn("follow the configuration", records.run());
    }
    void export_metrics(runtime::metrics& metrics) const {
        records.export_to(metrics);
        profiles.export_to(metrics);
    }

    metastore& numbers;
    config_record_store records;
    config_file_store files;
    fleet::system_profile_store profiles;
    config_channel_store channels;
};

}  // namespace muster::configuration
