#pragma once

#include "api/xmlrpc/calls/method_registry.h"

namespace muster::xmlrpc_api {

// recurring.playbook.*: no system is a control node of Ansible. Whoever asks for one is told so,
// with the fault that clients know, once the rest of the request is well.
class recurring_playbook_methods {
public:
    result<void> declare(method_registry& registry);

private:
    async<method_response> create_playbook(call call);
    async<method_response> update(call call);
};

}  // namespace muster::xmlrpc_api
