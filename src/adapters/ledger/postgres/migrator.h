#pragma once

#include "adapters/ledger/postgres/connection.h"
#include "core/table/schema.h"
#include "ports/ledger.h"

namespace muster::ledger_postgres {

// Migrates the database to `schema`, each version in its own transaction. The first server claims a
// version by inserting its row; the others wait for that transaction and check again. Ends when the
// server is silent (liveness_probe.h) or at `deadline`. Reports to settings.on_migration.
result<void> migrate(
    connection& connection,
    const table::schema& schema,
    const settings& settings,
    instant deadline);

// The part of `schema` that the database has; changes nothing.
result<table::schema> applied_schema(
    connection& connection, const table::schema& schema, instant deadline);

result<ledger_identity> read_identity(connection& connection, instant deadline);

}  // namespace muster::ledger_postgres
