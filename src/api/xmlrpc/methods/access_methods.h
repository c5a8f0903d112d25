#pragma once

#include "api/xmlrpc/methods/declaring.h"
#include "api/xmlrpc/calls/method_book.h"
#include "services/people/people_office.h"

#include <string>

namespace muster::xmlrpc_api {

// access.*: roles. What clients call a namespace is a right here, such as jobs.run; its mode is R
// for a right to read and W for any other.
class access_methods {
public:
    explicit access_methods(clock& time) : time_(time) {}

    result<void> declare(method_book& to);

private:
    async<answer> list_roles(call asked);
    async<answer> list_namespaces(call asked);
    async<answer> list_permissions(call asked);
    async<answer> create_role(call asked);
    async<answer> delete_role(call asked);
    async<answer> grant(call asked);
    async<answer> revoke(call asked);

    enum class change { grant, revoke };
    async<answer> change_role(call asked, change how);

    clock& time_;
};

}  // namespace muster::xmlrpc_api
