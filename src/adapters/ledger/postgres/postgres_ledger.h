#pragma once

#include "adapters/ledger/postgres/settings.h"
#include "ports/ledger.h"

#include <memory>

namespace muster::ledger_postgres {

// The ledger of a cluster, in PostgreSQL or an engine that speaks its protocol. Connects when it is
// first used and again when a connection was lost; until then calls end with errc::unavailable and
// the server's or the network's words when their the timeout is over.
std::unique_ptr<ledger> open(settings settings);

}  // namespace muster::ledger_postgres
