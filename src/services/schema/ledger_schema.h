#pragma once

#include "core/table/schema.h"

namespace muster::schema {

// The ledger's tables and their whole history, put together from what each service declares of its
// own. Append migrations; never alter a released one.
table::schema ledger_schema();

}  // namespace muster::schema
