#include "adapters/ledger/postgres/liveness_probe.h"

#include "runtime/clock.h"

namespace muster::ledger_postgres {

liveness_probe::liveness_probe(connection& on, const settings& settings, listener* listener)
    : on_(on), options_(settings), listener_(listener) {
    on_.accompany({.observer = this, .every = options_.look_every});
}

liveness_probe::~liveness_probe() {
    on_.accompany({});
}

result<void> liveness_probe::look() {
    if (listener_ != nullptr) listener_->still_waiting();
    const instant now = runtime::monotonic_now();
    if (on_.server_answers(options_, {.deadline = now + options_.attempt, .wake = on_.wake()})) {
        silent_since_.reset();
        return {};
    }
    if (!silent_since_) silent_since_ = now;
    if (runtime::monotonic_now() - *silent_since_ < options_.migration_timeout) return {};
    return fail(errc::timed_out, "PostgreSQL does not answer anybody any more");
}

}  // namespace muster::ledger_postgres
