#pragma once

#include "base/result.h"
#include "core/kv/entry.h"
#include "core/kv/transaction.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace muster::kv {

// Checks a request against kv::limits, the same for every engine. errc::invalid names the faulty
// part.
result<void> check_key(std::string_view key);
result<void> check_range(const range_request& request);
result<void> check_ttl(std::chrono::seconds ttl);
result<void> check_transaction(const kv::transaction& transaction);

// Keys and values of conditions and operations together.
std::size_t bytes_of(const kv::transaction& transaction);

// A key for messages: quoted, shortened, with unprintable bytes escaped.
std::string printable(std::string_view key);

}  // namespace muster::kv
