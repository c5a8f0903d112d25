#pragma once

#include "api/operations/registry.h"
#include "runtime/metrics.h"

namespace muster::api {

// Logs users in by password. Returns a session token or, for browsers, a cookie that scripts cannot
// read. Thread-safe.
class login_api {
public:
    login_api(muster::clock& clock, runtime::metrics& metrics);

    result<void> declare(registry& operations);

private:
    async<reply> log_in(call call);

    muster::clock& clock_;
    runtime::counter succeeded_;
    runtime::counter refused_;
    runtime::counter limited_;
};

}  // namespace muster::api
