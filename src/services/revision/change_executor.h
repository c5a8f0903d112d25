#pragma once

#include "ports/async.h"
#include "services/revision/record.h"

namespace muster::revision {

// Does what a change of a draft says, in its author's name and with what they may do now. By itself
// it refuses: only gateways carry out changes.
class change_executor {
public:
    change_executor() = default;
    change_executor(const change_executor&) = delete;
    change_executor& operator=(const change_executor&) = delete;
    virtual ~change_executor() = default;

    virtual async<void> execute(draft_change /*change*/) {
        co_return fail(errc::unavailable, "this server does not apply changes");
    }
};

}  // namespace muster::revision
