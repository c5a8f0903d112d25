#pragma once

#include "roles/gateway/registry.h"

namespace muster::gateway {

// The audit trail: who did what, when, from where, and what was refused.
class audit_api {
public:
    explicit audit_api(clock& time) : time_(time) {}

    result<void> declare(registry& to);

private:
    async<reply> list(call asked);

    clock& time_;
};

}  // namespace muster::gateway
