#pragma once

#include "api/operations/group_label_policy.h"
#include "api/operations/registry.h"
#include "services/fleet/accept_rule_store.h"

#include <string>

namespace muster::api {

// Accept rules and enrolment tokens: systems are accepted without an admin. Tokens and activation
// keys are shown only when they are created. Thread-safe.
class rules_api {
public:
    // `label_policy`: null allows all groups.
    rules_api(
        fleet::accept_rule_store& rules,
        muster::clock& clock,
        const group_label_policy* label_policy = nullptr)
        : rules_(rules), clock_(clock), label_policy_(label_policy) {}

    result<void> declare(registry& operations);

private:
    async<reply> list(call call);
    async<reply> add(call call);
    async<reply> remove(call call);
    async<reply> add_token(call call);

    fleet::accept_rule_store& rules_;
    muster::clock& clock_;
    const group_label_policy* label_policy_;
};

}  // namespace muster::api
