#pragma once

#include "services/cluster/engines.h"
#include "services/configuration/channel_book.h"

namespace muster::configuration {

// What is kept about configuration, in one place: for whoever serves people. Thread-safe but for
// the books' run().
struct config_office {
    struct surroundings {
        cluster::engines engines;
        clock& time;
        runtime::logger& log;
    };

    explicit config_office(surroundings around)
        : numbers(around.engines.metadata),
          records(around.engines.records, around.time, around.log),
          files(around.engines.records, around.time),
          profiles(around.engines.records, around.time, around.log),
          channels(
              {.numbers = around.engines.metadata,
               .records = records,
               .files = files,
               .profiles = profiles,
               .time = around.time}) {}

    void export_to(runtime::metrics& to) const {
        records.export_to(to);
        profiles.export_to(to);
    }

    metastore& numbers;
    record_book records;
    file_book files;
    fleet::profile_book profiles;
    channel_book channels;
};

}  // namespace muster::configuration
