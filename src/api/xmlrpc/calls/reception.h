#pragma once

#include "ports/clock.h"
#include "api/xmlrpc/calls/method.h"
#include "api/operations/office.h"

#include <string>

namespace muster::xmlrpc_api {

// Lets callers of the compatible API in. The desk must outlive it.
class reception {
public:
    reception(const api::front_desk& desk, clock& time) : desk_(desk), time_(time) {}

    // Whoever comes, for a method that takes no session. errc::denied, with the sentence by which
    // clients know that they have to log in again, when the key is nobody's.
    async<api::visitor> admit(const method& to, std::string key, std::string origin) const;
    async<api::visitor> admit_holder(std::string key, std::string origin) const;

private:
    const api::front_desk& desk_;
    clock& time_;
};

}  // namespace muster::xmlrpc_api
