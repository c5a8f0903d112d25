#include "services/cluster/engines.h"

#include "base/assert.h"
#include "ports/deadline.h"
#include "services/cluster/keys.h"

#include <utility>

namespace muster::cluster {

async<void> engine_monitor::check_metastore() {
    const auto identity = co_await engines_.metastore.get(std::string(keys::identity));
    if (!identity) co_return fail(identity.error());
    co_return result<void>();
}

async<void> engine_monitor::check_ledger() {
    const auto identity = co_await engines_.ledger.identity();
    if (!identity) co_return fail(identity.error());
    co_return result<void>();
}

async<void> engine_monitor::check(cluster::engine engine) {
    switch (engine) {
        case cluster::engine::metastore:
            return check_metastore();
        case cluster::engine::ledger:
            return check_ledger();
        case cluster::engine::bus:
            return engines_.bus.ping();
    }
    MUSTER_ASSERT(false);
    return check_ledger();
}

boost::asio::awaitable<void> engine_monitor::watch(cluster::engine engine) {
    while (true) {
        const auto checked = co_await within(clock_, options_.timeout, check(engine));
        if (!checked && checked.error().code() == errc::cancelled) co_return;
        if (readiness_.record_check(engine, checked, clock_.wall())) {
            if (checked) {
                log_.info("engine available", {{"engine", to_string(engine)}});
            } else {
                log_.warning(
                    "engine unavailable; dependent requests are refused",
                    {{"engine", to_string(engine)}, {"error", to_string(checked.error())}});
            }
        }
        const auto slept = co_await clock_.sleep_for(options_.interval);
        if (!slept) co_return;
    }
}

}  // namespace muster::cluster
