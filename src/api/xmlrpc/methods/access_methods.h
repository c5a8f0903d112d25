#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/method_declarations.h"
#include "services/people/people_services.h"

#include <string>

namespace muster::xmlrpc_api {

// access.*: roles. A namespace of clients is a right, such as jobs.run. Its mode is R for a right
// to read and W for any other.
class access_methods {
public:
    explicit access_methods(muster::clock& clock) : clock_(clock) {}

    result<void> declare(method_registry& registry);

private:
    async<method_response> list_roles(call call);
    async<method_response> list_namespaces(call call);
    async<method_response> list_permissions(call call);
    async<method_response> create_role(call call);
    async<method_response> delete_role(call call);
    async<method_response> grant(call call);
    async<method_response> revoke(call call);

    enum class change { grant, revoke };
    async<method_response> change_role(call call, change action);

    muster::clock& clock_;
};

}  // namespace muster::xmlrpc_api
