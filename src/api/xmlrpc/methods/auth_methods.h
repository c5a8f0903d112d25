#pragma once

#include "api/xmlrpc/calls/method_registry.h"

namespace muster::xmlrpc_api {

// auth.*: sessions of the compatible API are the cluster's own.
class auth_methods {
public:
    explicit auth_methods(muster::clock& clock) : clock_(clock) {}

    result<void> declare(method_registry& to);

    // With `login` and `password`.
    async<answer> log_in(call call);
    async<answer> log_out(call call);

private:
    async<answer> is_valid(call call);

    muster::clock& clock_;
};

// Logging in, under any name.
api::operation login_called(std::string name);

}  // namespace muster::xmlrpc_api
