#pragma once

#include "base/result.h"
#include "core/api/value.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::xmlrpc {

struct method_call {
    std::string method;
    api::value::list arguments;
};

// What a peer may send. The size of a call is bounded by who reads it.
inline constexpr std::size_t depth_max = 32;
inline constexpr std::size_t values_max = 200'000;

// Texts come without white space at their ends, because clients send a cached session's key with
// its line's end; members of a struct come as they are. Strict otherwise: a DOCTYPE, an unknown
// type or a number that is none is errc::invalid.
result<method_call> parse_call(std::string_view text);

// A whole answer. Members and items that are nothing are left out; integers are <i4> when they fit
// and <i8> when not; times are UTC without a zone, as the protocol has them.
std::string response(const api::value& what);
std::string fault(std::int64_t code, std::string_view text);

// For answers that are too long to be kept: what stands before the items of a list, each item, and
// what stands behind them.
std::string list_opening();
void append_item(std::string& to, const api::value& item);
std::string list_closing();

}  // namespace muster::xmlrpc
