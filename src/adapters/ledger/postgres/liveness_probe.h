#pragma once

#include "adapters/ledger/postgres/connection.h"
#include "adapters/ledger/postgres/settings.h"
#include "base/time.h"

#include <optional>

namespace muster::ledger_postgres {

// Kept beside work that may take hours, such as building an index of a large table. Such a wait has
// no deadline worth naming: it goes on as long as the server is there. The kernel notices a host
// that is gone (keepalives); one that stands still, or is silent behind a proxy, is found out by
// knocking at its door from time to time.
class liveness_probe final : wait_observer {
public:
    // Called now and then, on the thread that waits.
    class listener {
    public:
        virtual ~listener() = default;

        virtual void still_waiting() = 0;
    };

    liveness_probe(connection& on, const settings& settings, listener* listener = nullptr);
    liveness_probe(const liveness_probe&) = delete;
    liveness_probe& operator=(const liveness_probe&) = delete;
    ~liveness_probe() override;

private:
    result<void> look() override;

    connection& on_;
    const settings& options_;
    listener* listener_;
    std::optional<instant> silent_since_;
};

}  // namespace muster::ledger_postgres
