#include "api/xmlrpc/calls/session_key_authenticator.h"

#include "api/xmlrpc/calls/session_key.h"
#include "ports/deadline.h"

#include <fmt/format.h>

#include <utility>

namespace muster::xmlrpc_api {

async<api::caller> session_key_authenticator::authenticate(
    const method& method, std::string key, std::string origin) const {
    if (method.takes_session()) co_return co_await authenticate(std::move(key), std::move(origin));
    CO_TRY(auto context, authenticator_.context());
    co_return api::caller{people::identity(), std::move(context), std::move(origin)};
}

async<api::caller> session_key_authenticator::authenticate(
    std::string key, std::string origin) const {
    CO_TRY(auto context, authenticator_.context());
    auto lookup = context->people.authentication.identify(key_secret(key), origin);
    auto identity = co_await within(clock_, api::engine_timeout, std::move(lookup));
    if (!identity && identity.error().code() == errc::denied)
        co_return fail(
            errc::denied, fmt::format("Could not find session with id: {}", key_number(key)));
    CO_CHECK_OK(identity);
    co_return api::caller{*std::move(identity), std::move(context), std::move(origin)};
}

}  // namespace muster::xmlrpc_api
