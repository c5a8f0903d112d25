#include "services/cluster/engines.h"

#include "base/assert.h"
#include "ports/deadline.h"
#include "services/cluster/keys.h"

#include <utility>

namespace muster::cluster {

async<void> engine_monitor::ask_metastore() {
    const auto metastore = co_await watched_.metastore.get(std::string(keys::identity));
    if (!metastore) co_return fail(metastore.error());
    co_return result<void>();
}

async<void> engine_monitor::ask_ledger() {
    const auto match = co_await watched_.ledger.identity();
    if (!match) co_return fail(match.error());
    co_return result<void>();
}

async<void> engine_monitor::ask(engine which) {
    switch (which) {
        case engine::metastore:
            return ask_metastore();
        case engine::ledger:
            return ask_ledger();
        case engine::bus:
            return watched_.bus.ping();
    }
    MUSTER_ASSERT(false);
    return ask_ledger();
}

boost::asio::awaitable<void> engine_monitor::watch(engine engine) {
    while (true) {
        const auto answer = co_await within(clock_, options_.timeout, ask(engine));
        if (!answer && answer.error().code() == errc::cancelled) co_return;
        if (noted_.heard_of(engine, answer, clock_.wall())) {
            if (answer) {
                log_.info("engine answers", {{"engine", to_string(engine)}});
            } else {
                log_.warning(
                    "engine does not answer; what needs it is refused until it does",
                    {{"engine", to_string(engine)}, {"reason", to_string(answer.error())}});
            }
        }
        const auto slept = co_await clock_.sleep_for(options_.interval);
        if (!slept) co_return;
    }
}

}  // namespace muster::cluster
