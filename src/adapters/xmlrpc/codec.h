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

// Limits of a call. Its size is limited by the code that reads it.
inline constexpr std::size_t depth_max = 32;
inline constexpr std::size_t values_max = 200'000;

// Trims texts, because clients send a cached session key with its line end; members of a struct are
// not trimmed. Strict otherwise: a DOCTYPE, an unknown type or an invalid number is errc::invalid.
result<method_call> parse_call(std::string_view text);

// A complete response. Omits members and items without a value. Integers are <i4> if they fit, else
// <i8>. Times are UTC without a zone, as the protocol requires.
std::string response(const api::value& value);
std::string fault(std::int64_t code, std::string_view text);

// For streamed lists: the text before the items, each item, and the text behind them.
std::string list_opening();
void append_item(std::string& output, const api::value& item);
std::string list_closing();

}  // namespace muster::xmlrpc
