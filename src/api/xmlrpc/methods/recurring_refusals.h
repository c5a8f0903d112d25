#pragma once

#include "api/xmlrpc/calls/method_book.h"

namespace muster::xmlrpc_api {

// recurring.playbook.*: no system is a control node of Ansible. Whoever asks for one is told so,
// with the fault that clients know, once the rest of the request is well.
class recurring_refusals {
public:
    result<void> declare(method_book& to);

private:
    async<answer> create_playbook(call asked);
    async<answer> update(call asked);
};

}  // namespace muster::xmlrpc_api
