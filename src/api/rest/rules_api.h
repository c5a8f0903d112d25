#pragma once

#include "api/operations/group_label_policy.h"
#include "api/operations/registry.h"
#include "services/fleet/accept_rule_store.h"

#include <string>

namespace muster::api {

// Accept-rules and enrolment tokens: how systems are taken in without an admin. A token and an
// activation key are shown when they are made and never again.
class rules_api {
public:
    // Without a guard no group leads to anything.
    rules_api(
        fleet::accept_rule_store& rules, muster::clock& clock, const group_guard* guard = nullptr)
        : rules_(rules), clock_(clock), guard_(guard) {}

    result<void> declare(registry& to);

private:
    async<reply> list(call call);
    async<reply> add(call call);
    async<reply> remove(call call);
    async<reply> add_token(call call);

    fleet::accept_rule_store& rules_;
    muster::clock& clock_;
    const group_guard* guard_;
};

}  // namespace muster::api
