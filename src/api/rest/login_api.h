#pragma once

#include "api/operations/registry.h"
#include "runtime/metrics.h"

namespace muster::api {

// How people log in: with a password, for a token that is sent along or, in a browser, for a cookie
// that no script can read.
class login_api {
public:
    login_api(muster::clock& clock, runtime::metrics& metrics);

    result<void> declare(registry& to);

private:
    async<reply> log_in(call call);

    muster::clock& clock_;
    runtime::counter done_;
    runtime::counter refused_;
    runtime::counter limited_;
};

}  // namespace muster::api
