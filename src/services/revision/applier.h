#pragma once

#include "ports/clock.h"
#include "runtime/log.h"
#include "services/revision/change_executor.h"
#include "services/revision/draft_service.h"
#include "services/revision/revision_publisher.h"

#include <string>

namespace muster::revision {

// Applies a draft on the leader, starting from the recorded progress. If the leader dies, the next
// one continues (core/revision/draft.h, next_change).
//
// A change that fails halts the draft: the changes before it are in force and published as a
// revision, and the rest stays in the draft. Engine failures are retried. Not thread-safe; call
// from one strand.
class applier {
public:
    struct dependencies {
        muster::metastore& metastore;
        draft_service& drafts;
        revision_publisher& publisher;
        muster::clock& clock;
        runtime::logger& log;
        change_executor& executor;
    };

    explicit applier(dependencies deps) : deps_(std::move(deps)) {}

    // Runs until the draft is applied or halted. Call again after errc::unavailable or timed_out.
    async<void> run(edit_lock::claim claim);

private:
    async<void> finish(edit_lock::claim claim, draft current, std::vector<draft_change> changes);
    async<void> halt(
        edit_lock::claim claim,
        draft current,
        std::vector<draft_change> applied,
        std::int64_t failed,
        error failure);

    dependencies deps_;
};

}  // namespace muster::revision
