#pragma once

#include "adapters/ledger/postgres/connection.h"
#include "adapters/ledger/postgres/settings.h"
#include "base/time.h"

#include <functional>
#include <optional>

namespace muster::ledger_postgres {

// Kept beside work that may take hours, such as building an index of a large table. Such a wait has
// no deadline worth naming: it goes on as long as the server is there. The kernel notices a host
// that is gone (keepalives); one that stands still, or is silent behind a proxy, is found out by
// knocking at its door from time to time.
class liveness_probe {
public:
    // `tell` is called now and then, on the thread that waits.
    liveness_probe(connection& on, const settings& settings, std::function<void()> tell);
    liveness_probe(const liveness_probe&) = delete;
    liveness_probe& operator=(const liveness_probe&) = delete;
    ~liveness_probe();

private:
    result<void> look();

    connection& on_;
    const settings& options_;
    std::function<void()> tell_;
    std::optional<instant> silent_since_;
};

}  // namespace muster::ledger_postgres
