#pragma once

#include "base/backoff.h"

#include <cstddef>

namespace muster::ledger_postgres {

// The pauses of one thread between tries; `number` makes those of several threads differ.
backoff retry_pauses(std::size_t number);

}  // namespace muster::ledger_postgres
