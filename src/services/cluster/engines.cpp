#include "services/cluster/engines.h"

#include "base/assert.h"
#include "ports/deadline.h"
#include "services/cluster/keys.h"

#include <utility>

namespace muster::cluster {

async<void> engine_monitor::ask_metastore() {
    const auto found = co_await watched_.metadata.get(std::string(keys::identity));
    if (!found) co_return fail(found.error());
    co_return result<void>();
}

async<void> engine_monitor::ask_ledger() {
    const auto found = co_await watched_.records.identity();
    if (!found) co_return fail(found.error());
    co_return result<void>();
}

async<void> engine_monitor::ask(engine which) {
    switch (which) {
        case engine::metastore:
            return ask_metastore();
        case engine::ledger:
            return ask_ledger();
        case engine::bus:
            return watched_.doorbell.ping();
    }
    MUSTER_ASSERT(false);
    return ask_ledger();
}

boost::asio::awaitable<void> engine_monitor::watch(engine which) {
    while (true) {
        const auto answer = co_await within(time_, how_.patience, ask(which));
        if (!answer && answer.error().code() == errc::cancelled) co_return;
        if (noted_.heard_of(which, answer, time_.wall())) {
            if (answer) {
                log_.info("engine answers", {{"engine", to_string(which)}});
            } else {
                log_.warning(
                    "engine does not answer; what needs it is refused until it does",
                    {{"engine", to_string(which)}, {"reason", to_string(answer.error())}});
            }
        }
        const auto slept = co_await time_.sleep_for(how_.interval);
        if (!slept) co_return;
    }
}

}  // namespace muster::cluster
