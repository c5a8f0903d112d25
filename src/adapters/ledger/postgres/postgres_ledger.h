#pragma once

#include "adapters/ledger/postgres/settings.h"
#include "ports/ledger.h"

#include <memory>

namespace muster::ledger_postgres {

// Opens the ledger of a cluster, in PostgreSQL or an engine with its protocol. It connects at first
// use and reconnects when a connection is lost. Without a connection, calls end with
// errc::unavailable and the last error after their timeout.
std::unique_ptr<ledger> open(settings settings);

}  // namespace muster::ledger_postgres
