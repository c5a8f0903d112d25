#pragma once

#include "adapters/repository/repository_reader.h"
#include "services/cluster/engines.h"
#include "services/content/channel_sync_worker.h"
#include "services/content/content_number_allocator.h"
#include "services/content/content_service.h"
#include "services/content/content_store.h"
#include "services/content/package_sets.h"

namespace muster::content {

// What is kept about software, in one place: for whoever serves people. Thread-safe but for run()
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
          books(deps.engines.ledger, deps.clock, deps.log),
          sets(deps.engines.ledger, deps.clock),
          desk(books, numbers),
          reader(deps.clock, deps.repositories),
          syncs(
              {.content = books,
               .numbers = numbers,
               .reader = reader,
               .clock = deps.clock,
               .log = deps.log}) {}

    content_number_allocator numbers;
    content_store books;
    package_sets sets;
    content_service desk;
    repository::repository_reader reader;
    channel_sync_worker syncs;
};

}  // namespace muster::content
