#pragma once

#include "ports/contract/metastore_contract.h"

#include <span>

namespace muster::contract {

// The parts of metastore_promises(), one file each.
std::span<const metastore_case> entry_cases();
std::span<const metastore_case> concurrency_cases();
std::span<const metastore_case> lease_cases();
std::span<const metastore_case> watch_cases();
std::span<const metastore_case> metastore_fault_cases();

}  // namespace muster::contract
