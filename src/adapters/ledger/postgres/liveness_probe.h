#pragma once

#include "adapters/ledger/postgres/connection.h"
#include "adapters/ledger/postgres/settings.h"
#include "base/time.h"

#include <optional>

namespace muster::ledger_postgres {

// Watches work that may take hours, such as building a large index. Such work has no deadline; it
// continues while the server is alive. The kernel detects a lost host (keepalives). The probe
// detects a server that hangs, or is silent behind a proxy, by connecting from time to time.
class liveness_probe final : wait_observer {
public:
    // Called from time to time, on the waiting thread.
    class listener {
    public:
        virtual ~listener() = default;

        virtual void still_waiting() = 0;
    };

    liveness_probe(connection& connection, const settings& settings, listener* listener = nullptr);
    liveness_probe(const liveness_probe&) = delete;
    liveness_probe& operator=(const liveness_probe&) = delete;
    ~liveness_probe() override;

private:
    result<void> check() override;

    connection& connection_;
    const settings& options_;
    listener* listener_;
    std::optional<instant> silent_since_;
};

}  // namespace muster::ledger_postgres
