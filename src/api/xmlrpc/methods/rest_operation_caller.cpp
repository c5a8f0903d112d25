#include "api/xmlrpc/methods/rest_operation_caller.h"

#include "api/operations/json_value.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::xmlrpc_api {

async<boost::json::value> rest_operation_caller::ask(
    call request,
    std::string operation,
    boost::json::object arguments,
    std::string idempotency_key) const {
    const auto* const meant = all_.find(operation);
    if (meant == nullptr)
        co_return fail(errc::unavailable, "this server does not offer " + operation);
    call inner(meant->what, request.who(), api::from_json(std::move(arguments)));
    inner.idempotency_key = std::move(idempotency_key);
    CO_TRY(auto answered, co_await all_.perform(*meant, std::move(inner)));
    co_return std::move(answered.content);
}

}  // namespace muster::xmlrpc_api
