#pragma once

#include "ports/contract/ledger_contract.h"

#include <span>

namespace muster::contract {

// The parts of ledger_promises(), one file each.
std::span<const ledger_case> migration_cases();
std::span<const ledger_case> write_cases();
std::span<const ledger_case> read_cases();
std::span<const ledger_case> sequence_cases();
std::span<const ledger_case> partition_cases();
std::span<const ledger_case> ledger_fault_cases();

}  // namespace muster::contract
