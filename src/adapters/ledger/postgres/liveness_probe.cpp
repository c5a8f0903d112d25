#include "adapters/ledger/postgres/liveness_probe.h"

#include "runtime/clock.h"

#include <string>

namespace muster::ledger_postgres {

liveness_probe::liveness_probe(connection& connection, const settings& settings, listener* listener)
    : connection_(connection), options_(settings), listener_(listener) {
    connection_.observe_waits({.observer = this, .interval = options_.poll_interval});
}

liveness_probe::~liveness_probe() {
    connection_.observe_waits({});
}

result<void> liveness_probe::check() {
    if (listener_ != nullptr) listener_->still_waiting();
    const instant now = runtime::monotonic_now();
    if (connection_.server_responds(
            options_, {.deadline = now + options_.attempt, .wake = connection_.wake()})) {
        silent_since_.reset();
        return {};
    }
    if (!silent_since_) silent_since_ = now;
    if (runtime::monotonic_now() - *silent_since_ < options_.migration_timeout) return {};
    return fail(
        errc::timed_out,
        "PostgreSQL has not responded for "
            + std::to_string(options_.migration_timeout.count() / 1000)
            + " s; the operation will be retried");
}

}  // namespace muster::ledger_postgres
