#include "sim/workloads/onboarding_server.h"

#include "services/schema/ledger_schema.h"
#include "sim/engines/bus.h"
#include "sim/engines/ledger.h"
#include "sim/engines/metastore.h"

#include <atomic>

namespace muster::sim {

namespace {

using namespace std::chrono_literals;

const std::atomic<bool> always_active = true;

// Soon, so that much is purged and comes back; a mark stands longer than any pause of a process.
constexpr fleet::evicted_key_pruner::options cleaning{
    .keep_evicted = 20s, .settle = 90s, .interval = 10s};

boost::asio::awaitable<void> keep_trying_to_migrate(process& host, muster::ledger& ledger) {
    while (true) {
        const auto done = co_await ledger.migrate(muster::schema::ledger_schema());
        if (done) co_return;
        ignore_error(co_await host.clock().sleep_for(200ms), "nobody cancels it");
    }
}

}  // namespace

std::shared_ptr<ledger> open_fleet_ledger(cluster& stage, process& host) {
    return open_ledger(stage, host, {.engine = "ledger", .database = "fleet"});
}

onboarding_server::onboarding_server(cluster& stage, process& host, options options)
    : host_(host),
      options_(options),
      store_(open_metastore(stage, host, "metastore")),
      records_(open_fleet_ledger(stage, host)),
      doorbell_(open_bus(stage, host, "bus")),
      bell_(*doorbell_, *options.log),
      follower_(*records_, known_, host.clock(), *options.log, {.gap_max = 60s}),
      keys_(
          {.engines = {.metastore = *store_, .ledger = *records_, .bus = *doorbell_},
           .systems = known_,
           .bus = bell_,
           .clock = host.clock()}),
      rules_(*store_, host.clock(), *options.log),
      door_(keys_, rules_, {.pool_max = options.pool_max}),
      cleaner_(keys_, known_, host.clock(), *options.log, cleaning) {}

boost::asio::awaitable<void> onboarding_server::follow() {
    co_await keep_trying_to_migrate(host_, *records_);
    co_await follower_.run();
}

void onboarding_server::start() {
    host_.spawn("follow the fleet", follow());
    host_.spawn("follow the rules", rules_.run());
    host_.spawn("ring on the bus", bell_.run());
    if (options_.cleans_up) host_.spawn("clean up", cleaner_.run(always_active));
}

}  // namespace muster::sim
