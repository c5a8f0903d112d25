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
    .keep_evicted = 20s, .mark_age_min = 90s, .interval = 10s};

boost::asio::awaitable<void> keep_trying_to_migrate(process& host, muster::ledger& ledger) {
    while (true) {
        const auto done = co_await ledger.migrate(muster::schema::ledger_schema());
        if (done) co_return;
        ignore_error(co_await host.clock().sleep_for(200ms), "never cancelled");
    }
}

}  // namespace

std::shared_ptr<ledger> open_fleet_ledger(sim::cluster& cluster, process& host) {
    return open_ledger(cluster, host, {.engine = "ledger", .database = "fleet"});
}

onboarding_server::onboarding_server(sim::cluster& cluster, process& host, options options)
    : host_(host),
      options_(options),
      metastore_(open_metastore(cluster, host, "metastore")),
      ledger_(open_fleet_ledger(cluster, host)),
      bus_(open_bus(cluster, host, "bus")),
      bell_(*bus_, *options.log),
      follower_(*ledger_, systems_, host.clock(), *options.log, {.gap_max = 60s}),
      keys_(
          {.engines = {.metastore = *metastore_, .ledger = *ledger_, .bus = *bus_},
           .systems = systems_,
           .bus = bell_,
           .clock = host.clock()}),
      rules_(*metastore_, host.clock(), *options.log),
      enrolment_(keys_, rules_, {.pool_max = options.pool_max}),
      pruner_(keys_, systems_, host.clock(), *options.log, cleaning) {}

boost::asio::awaitable<void> onboarding_server::follow() {
    co_await keep_trying_to_migrate(host_, *ledger_);
    co_await follower_.run();
}

void onboarding_server::start() {
    host_.spawn("follow the fleet", follow());
    host_.spawn("follow the rules", rules_.run());
    host_.spawn("publish on the bus", bell_.run());
    if (options_.cleans_up) host_.spawn("clean up", pruner_.run(always_active));
}

}  // namespace muster::sim
