#pragma once

#include "ports/contract/metastore_contract.h"

#include <span>

namespace muster::contract {

// The parts of metastore_promises(), one file each.
std::span<const metastore_promise> promises_about_entries();
std::span<const metastore_promise> promises_about_concurrency();
std::span<const metastore_promise> promises_about_leases();
std::span<const metastore_promise> promises_about_watches();
std::span<const metastore_promise> promises_about_faults();

}  // namespace muster::contract
