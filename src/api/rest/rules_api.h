#pragma once

#include "services/fleet/rule_book.h"
#include "api/operations/group_guard.h"
#include "api/operations/registry.h"

#include <string>

namespace muster::api {

// Accept-rules and enrolment tokens: how systems are taken in without an admin. A token and an
// activation key are shown when they are made and never again.
class rules_api {
public:
    // Without a guard no group leads to anything.
    rules_api(fleet::rule_book& rules, clock& time, const group_guard* guard = nullptr)
        : rules_(rules), time_(time), guard_(guard) {}

    result<void> declare(registry& to);

private:
    async<reply> list(call asked);
    async<reply> add(call asked);
    async<reply> remove(call asked);
    async<reply> add_token(call asked);

    fleet::rule_book& rules_;
    clock& time_;
    const group_guard* guard_;
};

}  // namespace muster::api
