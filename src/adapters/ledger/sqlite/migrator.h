#pragma once

#include "adapters/sqlite/database.h"
#include "core/table/schema.h"

namespace muster::ledger_sqlite {

// Brings the file up to `wanted`, each version in a transaction of its own. Others may do the same
// at the same time: whoever holds the write lock looks again at what is left to do.
result<void> migrate(sqlite::database& on, const table::schema& schema);

// The part of `known` that the file is at; nothing is changed.
result<table::schema> standing(sqlite::database& on, const table::schema& schema);

}  // namespace muster::ledger_sqlite
