#pragma once

#include "adapters/net/http/request.h"
#include "api/operations/api_context.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace muster::xmlrpc_api {

// Limit for calls of unknown callers. A longer call is read only after its caller is authenticated,
// so that anonymous clients cannot make the server hold megabytes.
inline constexpr std::size_t anonymous_bytes_max = std::size_t{64} * 1024;

// Limit for the whole call, after decompression.
inline constexpr std::size_t call_bytes_max = std::size_t{4} * 1024 * 1024;

using caller_finder = std::function<async<api::caller>(std::string beginning)>;

// Reads and decompresses the body. Calls `caller` once the body exceeds anonymous_bytes_max, and
// fails with its error; errc::denied explains that long calls need a session.
async<std::string> read_call(net::http::request* request, caller_finder caller);

// Returns the session key at the beginning of an XML-RPC call: the value of the first parameter.
// Empty if there is none.
std::string find_session_key(std::string_view call);

}  // namespace muster::xmlrpc_api
