#pragma once

#include "api/operations/call.h"

namespace muster::xmlrpc_api {

// The caller, for services that know nothing of the API.
inline const people::identity& actor_of(const api::call& call) {
    return call.caller();
}

}  // namespace muster::xmlrpc_api
