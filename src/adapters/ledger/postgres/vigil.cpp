#include "adapters/ledger/postgres/vigil.h"

#include "runtime/clock.h"

#include <utility>

namespace muster::ledger_postgres {

vigil::vigil(connection& on, const settings& how, std::function<void()> tell)
    : on_(on), how_(how), tell_(std::move(tell)) {
    on_.accompany({.every = how_.look_every, .look = [this] {
                       return look();
                   }});
}

vigil::~vigil() {
    on_.accompany({});
}

result<void> vigil::look() {
    tell_();
    const instant now = runtime::monotonic_now();
    if (on_.server_answers(how_, {.deadline = now + how_.attempt, .wake = on_.wake()})) {
        silent_since_.reset();
        return {};
    }
    if (!silent_since_) silent_since_ = now;
    if (runtime::monotonic_now() - *silent_since_ < how_.migration_patience) return {};
    return fail(errc::timed_out, "PostgreSQL does not answer anybody any more");
}

}  // namespace muster::ledger_postgres
