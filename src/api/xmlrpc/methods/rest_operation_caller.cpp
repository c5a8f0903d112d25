#include "api/xmlrpc/methods/rest_operation_caller.h"

#include "api/operations/json_value.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::xmlrpc_api {

async<boost::json::value> rest_operation_caller::perform(
    call request,
    std::string operation,
    boost::json::object arguments,
    std::string idempotency_key) const {
    const auto* const declared = registry_.find(operation);
    if (declared == nullptr)
        co_return fail(errc::unavailable, "operation not available on this server: " + operation);
    call inner(declared->operation, request.caller(), api::from_json(std::move(arguments)));
    inner.idempotency_key = std::move(idempotency_key);
    CO_TRY(auto response, co_await registry_.perform(*declared, std::move(inner)));
    co_return std::move(response.content);
}

}  // namespace muster::xmlrpc_api
