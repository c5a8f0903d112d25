#pragma once

#include "api/operations/registry.h"
#include "runtime/metrics.h"

namespace muster::api {

// How people log in: with a password, for a token that is sent along or, in a browser, for a cookie
// that no script can read.
class login_api {
public:
    login_api(clock& time, runtime::metrics& counted);

    result<void> declare(registry& to);

private:
    async<reply> log_in(call call);

    clock& time_;
    runtime::counter done_;
    runtime::counter refused_;
    runtime::counter limited_;
};

}  // namespace muster::api
