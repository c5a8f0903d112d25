#pragma once

#include "base/result.h"
#include "core/kv/entry.h"
#include "core/kv/transaction.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace muster::kv {

// Checks a request against kv::limits. What fails here fails in every engine, at any time:
// errc::invalid with a sentence that names the part at fault.
result<void> check_key(std::string_view key);
result<void> check_range(const range_request& request);
result<void> check_ttl(std::chrono::seconds ttl);
result<void> check_transaction(const transaction& change);

// Keys and values of conditions and operations together.
std::size_t bytes_of(const transaction& change);

// A key as it may stand in a message: quoted, cut, and with nothing unprintable in it.
std::string printable(std::string_view key);

}  // namespace muster::kv
