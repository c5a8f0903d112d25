#pragma once

#include "api/operations/call.h"

#include <functional>

namespace muster::api {

// Does an operation. An error becomes a problem answer, or a fault.
using action = std::function<async<reply>(call)>;

// What stands before every operation that shares its data (docs/revisions.md). The registry asks
// it after all checks: the call is done, written into the draft, or refused.
class common_data_interceptor {
public:
    common_data_interceptor() = default;
    common_data_interceptor(const common_data_interceptor&) = delete;
    common_data_interceptor& operator=(const common_data_interceptor&) = delete;
    virtual ~common_data_interceptor() = default;

    virtual async<reply> pass(api::sharing sharing, action does, call call) = 0;
};

}  // namespace muster::api
