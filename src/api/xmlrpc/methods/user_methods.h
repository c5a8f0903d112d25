#pragma once

#include "api/xmlrpc/calls/method_book.h"
#include "api/xmlrpc/methods/organisations.h"

namespace muster::xmlrpc_api {

// user.*: the people of the cluster.
class user_methods {
public:
    explicit user_methods(organisations::surroundings around) : around_(around), orgs_(around) {}

    result<void> declare(method_book& to);

private:
    async<answer> list(call asked);
    async<answer> get_details(call asked);
    async<answer> list_roles(call asked);
    async<answer> list_assignable_roles(call asked);

    organisations::surroundings around_;
    organisations orgs_;
};

}  // namespace muster::xmlrpc_api
