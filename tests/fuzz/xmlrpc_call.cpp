// Calls over XML-RPC, from anybody who reaches the port.
#include "adapters/xmlrpc/codec.h"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto call = muster::xmlrpc::parse_call({reinterpret_cast<const char*>(data), size});
    if (!call) return 0;
    // Whatever could be read can be written.
    static_cast<void>(muster::xmlrpc::response(call->arguments));
    return 0;
}
