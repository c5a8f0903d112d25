#pragma once

#include "adapters/repository/repository_reader.h"
#include "services/cluster/engines.h"
#include "services/content/channel_desk.h"
#include "services/content/library.h"
#include "services/content/number_counter.h"
#include "services/content/package_sets.h"
#include "services/content/sync_desk.h"

namespace muster::content {

// What is kept about software, in one place: for whoever serves people. Thread-safe but for run()
// of its parts.
struct content_office {
    // An aggregate of references.
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
    struct surroundings {
        cluster::engines engines;
        clock& time;
        runtime::logger& log;
        repository::repository_reader::options repositories = {};
    };

    explicit content_office(surroundings around)
        : numbers(around.engines.metadata),
          books(around.engines.records, around.time, around.log),
          sets(around.engines.records, around.time),
          desk(books, numbers),
          reader(around.time, around.repositories),
          syncs(
              {.books = books,
               .numbers = numbers,
               .reader = reader,
               .time = around.time,
               .log = around.log}) {}

    number_counter numbers;
    library books;
    package_sets sets;
    channel_desk desk;
    repository::repository_reader reader;
    sync_desk syncs;
};

}  // namespace muster::content
