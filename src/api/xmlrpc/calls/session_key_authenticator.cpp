#include "api/xmlrpc/calls/session_key_authenticator.h"

#include "api/xmlrpc/calls/session_key.h"
#include "ports/deadline.h"

#include <fmt/format.h>

#include <utility>

namespace muster::xmlrpc_api {

async<api::caller> session_key_authenticator::admit(
    const method& to, std::string key, std::string origin) const {
    if (to.takes_session()) co_return co_await admit_holder(std::move(key), std::move(origin));
    CO_TRY(auto desk, authenticator_.enter());
    co_return api::caller{people::identity(), std::move(desk), std::move(origin)};
}

async<api::caller> session_key_authenticator::admit_holder(
    std::string key, std::string origin) const {
    CO_TRY(auto desk, authenticator_.enter());
    auto looking = desk->people.entrance.identify(secret_in(key), origin);
    auto who = co_await within(clock_, api::engine_timeout, std::move(looking));
    if (!who && who.error().code() == errc::denied)
        co_return fail(
            errc::denied, fmt::format("Could not find session with id: {}", number_in(key)));
    CO_CHECK_OK(who);
    co_return api::caller{*std::move(who), std::move(desk), std::move(origin)};
}

}  // namespace muster::xmlrpc_api
