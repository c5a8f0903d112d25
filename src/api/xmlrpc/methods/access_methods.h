#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/method_declarations.h"
#include "services/people/people_services.h"

#include <string>

namespace muster::xmlrpc_api {

// access.*: roles. What clients call a namespace is a right here, such as jobs.run; its mode is R
// for a right to read and W for any other.
class access_methods {
public:
    explicit access_methods(muster::clock& clock) : clock_(clock) {}

    result<void> declare(method_registry& to);

private:
    async<answer> list_roles(call call);
    async<answer> list_namespaces(call call);
    async<answer> list_permissions(call call);
    async<answer> create_role(call call);
    async<answer> delete_role(call call);
    async<answer> grant(call call);
    async<answer> revoke(call call);

    enum class change { grant, revoke };
    async<answer> change_role(call call, change how);

    muster::clock& clock_;
};

}  // namespace muster::xmlrpc_api
