#pragma once

#include "api/operations/registry.h"

namespace muster::api {

// Operations of a logged-in user on the own account. Thread-safe.
class own_account_api {
public:
    explicit own_account_api(muster::clock& clock) : clock_(clock) {}

    result<void> declare(registry& operations);

private:
    async<reply> show(call call);
    async<reply> set_password(call call);
    async<reply> log_out(call call);

    muster::clock& clock_;
};

}  // namespace muster::api
