#pragma once

#include "api/xmlrpc/calls/method_book.h"

namespace muster::xmlrpc_api {

// auth.*: sessions of the compatible API are the cluster's own.
class auth_methods {
public:
    explicit auth_methods(clock& time) : time_(time) {}

    result<void> declare(method_book& to);

    // With `login` and `password`.
    async<answer> log_in(call asked);
    async<answer> log_out(call asked);

private:
    async<answer> is_valid(call asked);

    clock& time_;
};

// Logging in, under any name.
api::operation login_called(std::string name);

}  // namespace muster::xmlrpc_api
