#pragma once

#include "api/operations/api_context.h"
#include "api/xmlrpc/calls/method.h"
#include "ports/clock.h"

#include <string>

namespace muster::xmlrpc_api {

// Authenticates callers of the compatible API. The dependencies must outlive it.
class session_key_authenticator {
public:
    session_key_authenticator(const api::request_authenticator& authenticator, muster::clock& clock)
        : authenticator_(authenticator), clock_(clock) {}

    // Accepts anybody for a method without a session. errc::denied for an unknown key, with the
    // text that makes clients log in again.
    async<api::caller> authenticate(
        const method& method, std::string key, std::string origin) const;
    async<api::caller> authenticate(std::string key, std::string origin) const;

private:
    const api::request_authenticator& authenticator_;
    muster::clock& clock_;
};

}  // namespace muster::xmlrpc_api
