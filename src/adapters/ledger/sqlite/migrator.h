#pragma once

#include "adapters/sqlite/database.h"
#include "core/table/schema.h"

namespace muster::ledger_sqlite {

// Migrates the file to `schema`, each version in its own transaction. Several processes may do so
// at the same time: each checks the pending versions again under the write lock.
result<void> migrate(sqlite::database& db, const table::schema& schema);

// The part of `schema` that the file has; changes nothing.
result<table::schema> applied_schema(sqlite::database& db, const table::schema& schema);

}  // namespace muster::ledger_sqlite
