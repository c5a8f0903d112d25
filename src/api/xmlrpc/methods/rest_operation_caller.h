#pragma once

#include "api/operations/registry.h"
#include "api/xmlrpc/calls/method.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>

namespace muster::xmlrpc_api {

// The operations of the native API, for methods that mean the same by another name: what an
// operation checks, refuses and writes into the audit trail is its own.
class rest_operation_caller {
public:
    explicit rest_operation_caller(const api::registry& all) : all_(all) {}

    // Done for whoever asked for the method, with their rights. An operation that is not declared
    // is errc::unavailable. With a key, what is asked for again is done once.
    async<boost::json::value> ask(
        call request,
        std::string operation,
        boost::json::object arguments,
        std::string idempotency_key = {}) const;

private:
    const api::registry& all_;
};

}  // namespace muster::xmlrpc_api
