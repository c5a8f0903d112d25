#pragma once

#include "api/operations/registry.h"
#include "api/xmlrpc/calls/method.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>

namespace muster::xmlrpc_api {

// Performs REST operations for methods that do the same under another name. The operation does its
// own checks and audit entries.
class rest_operation_caller {
public:
    explicit rest_operation_caller(const api::registry& registry) : registry_(registry) {}

    // Performs the operation with the rights of the method's caller. errc::unavailable if the
    // operation is not declared. A repeated idempotency key performs it once.
    async<boost::json::value> perform(
        call request,
        std::string operation,
        boost::json::object arguments,
        std::string idempotency_key = {}) const;

private:
    const api::registry& registry_;
};

}  // namespace muster::xmlrpc_api
