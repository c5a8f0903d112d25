#include "adapters/ledger/postgres/retry.h"

#include "runtime/clock.h"

#include <chrono>

namespace muster::ledger_postgres {

backoff retry_pauses(std::size_t number) {
    using namespace std::chrono_literals;
    const auto now = runtime::monotonic_now().time_since_epoch().count();
    return {{.first = 20ms, .longest = 1s}, prng(static_cast<std::uint64_t>(now) + number)};
}

}  // namespace muster::ledger_postgres
