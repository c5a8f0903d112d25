#pragma once

#include "api/xmlrpc/calls/method_registry.h"

namespace muster::xmlrpc_api {

// auth.*: sessions of the compatible API are sessions of the cluster.
class auth_methods {
public:
    explicit auth_methods(muster::clock& clock) : clock_(clock) {}

    result<void> declare(method_registry& registry);

    // With the arguments `login` and `password`.
    async<method_response> log_in(call call);
    async<method_response> log_out(call call);

private:
    async<method_response> is_valid(call call);

    muster::clock& clock_;
};

// A login method with this name.
api::operation login_method(std::string name);

}  // namespace muster::xmlrpc_api
