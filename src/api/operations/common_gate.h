#pragma once

#include "api/operations/call.h"

#include <functional>

namespace muster::api {

// Does an operation. An error becomes a problem answer, or a fault.
using action = std::function<async<reply>(call)>;

// What stands before every operation that shares its data (docs/revisions.md). The registry asks
// it after all checks: the call is done, written into the draft, or refused.
class common_gate {
public:
    common_gate() = default;
    common_gate(const common_gate&) = delete;
    common_gate& operator=(const common_gate&) = delete;
    virtual ~common_gate() = default;

    virtual async<reply> pass(api::sharing how, action does, call asked) = 0;
};

}  // namespace muster::api
