#pragma once

#include "api/operations/api_context.h"
#include "api/xmlrpc/calls/method.h"
#include "ports/clock.h"

#include <string>

namespace muster::xmlrpc_api {

// Lets callers of the compatible API in. The desk must outlive it.
class session_key_authenticator {
public:
    session_key_authenticator(const api::request_authenticator& authenticator, muster::clock& clock)
        : authenticator_(authenticator), clock_(clock) {}

    // Whoever comes, for a method that takes no session. errc::denied, with the sentence by which
    // clients know that they have to log in again, when the key is nobody's.
    async<api::caller> admit(const method& to, std::string key, std::string origin) const;
    async<api::caller> admit_holder(std::string key, std::string origin) const;

private:
    const api::request_authenticator& authenticator_;
    muster::clock& clock_;
};

}  // namespace muster::xmlrpc_api
