#pragma once

#include "services/cluster/engines.h"
#include "services/configuration/config_channel_store.h"

namespace muster::configuration {

// What is kept about configuration, in one place: for whoever serves people. Thread-safe but for
// the books' run().
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

    void export_to(runtime::metrics& to) const {
        records.export_to(to);
        profiles.export_to(to);
    }

    metastore& numbers;
    config_record_store records;
    config_file_store files;
    fleet::system_profile_store profiles;
    config_channel_store channels;
};

}  // namespace muster::configuration
