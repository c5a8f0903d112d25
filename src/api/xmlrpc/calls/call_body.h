#pragma once

#include "adapters/net/http/request.h"
#include "api/operations/api_context.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace muster::xmlrpc_api {

// So much of a call is read from whoever comes. More is read once its caller is known, who is told
// by the call's beginning or its head: strangers do not get the server to hold megabytes for them.
inline constexpr std::size_t strangers_bytes_max = std::size_t{64} * 1024;

// Of all of it, unpacked.
inline constexpr std::size_t call_bytes_max = std::size_t{4} * 1024 * 1024;

using caller_finder = std::function<async<api::caller>(std::string beginning)>;

// The whole body, unpacked if it came packed by gzip. What `caller` fails with when it is longer
// than a stranger's may be; with errc::denied it says why.
async<std::string> read_call(net::http::request* request, caller_finder caller);

// The session's key at the beginning of a call over XML-RPC, where clients write it: the value of
// the first parameter. Empty when there is none.
std::string key_at_beginning(std::string_view call);

}  // namespace muster::xmlrpc_api
