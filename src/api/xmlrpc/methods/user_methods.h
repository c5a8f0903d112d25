#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/organisations.h"

namespace muster::xmlrpc_api {

// user.*: the people of the cluster.
class user_methods {
public:
    explicit user_methods(organisations::dependencies deps) : deps_(deps), orgs_(deps) {}

    result<void> declare(method_registry& registry);

private:
    async<method_response> list(call call);
    async<method_response> get_details(call call);
    async<method_response> list_roles(call call);
    async<method_response> list_assignable_roles(call call);

    organisations::dependencies deps_;
    organisations orgs_;
};

}  // namespace muster::xmlrpc_api
