#pragma once

#include "api/operations/registry.h"

namespace muster::api {

// What everybody who is logged in may do with themselves.
class me_api {
public:
    explicit me_api(clock& time) : time_(time) {}

    result<void> declare(registry& to);

private:
    async<reply> show(call asked);
    async<reply> set_password(call asked);
    async<reply> log_out(call asked);

    clock& time_;
};

}  // namespace muster::api
