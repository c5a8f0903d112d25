#pragma once

#include "adapters/ledger/postgres/connection.h"
#include "core/table/schema.h"
#include "ports/ledger.h"

namespace muster::ledger_postgres {

// Brings the database up to `wanted`, each version in a transaction of its own. Who comes first
// takes a version by inserting its row; the others wait for that row's end and look again. It takes
// as long as the server works on it (vigil.h) or until `deadline`, and is told through
// how.on_migration.
result<void> migrate(
    connection& on, const table::schema& schema, const settings& settings, instant deadline);

// The part of `known` that the database is at; nothing is changed.
result<table::schema> standing(connection& on, const table::schema& schema, instant deadline);

result<ledger_identity> read_identity(connection& on, instant deadline);

}  // namespace muster::ledger_postgres
