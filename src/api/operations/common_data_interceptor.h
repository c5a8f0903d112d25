#pragma once

#include "api/operations/call.h"

#include <functional>

namespace muster::api {

// Runs an operation. An error becomes a problem response (REST) or a fault (XML-RPC).
using operation_handler = std::function<async<reply>(call)>;

// Intercepts changes of common data (docs/concepts/drafts.md). The registry calls it after all
// checks. The interceptor runs the handler, writes the change into the draft, or refuses it.
class common_data_interceptor {
public:
    common_data_interceptor() = default;
    common_data_interceptor(const common_data_interceptor&) = delete;
    common_data_interceptor& operator=(const common_data_interceptor&) = delete;
    virtual ~common_data_interceptor() = default;

    virtual async<reply> intercept(api::sharing sharing, operation_handler handler, call call) = 0;
};

}  // namespace muster::api
