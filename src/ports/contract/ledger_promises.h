#pragma once

#include "ports/contract/ledger_contract.h"

#include <span>

namespace muster::contract {

// The parts of ledger_promises(), one file each.
std::span<const ledger_promise> promises_about_migrations();
std::span<const ledger_promise> promises_about_writes();
std::span<const ledger_promise> promises_about_reads();
std::span<const ledger_promise> promises_about_sequences();
std::span<const ledger_promise> promises_about_partitions();
std::span<const ledger_promise> promises_about_lost_ledgers();

}  // namespace muster::contract
