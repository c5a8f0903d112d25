#pragma once

#include "ports/clock.h"
#include "runtime/log.h"
#include "services/revision/change_executor.h"
#include "services/revision/draft_service.h"
#include "services/revision/revision_publisher.h"

#include <string>

namespace muster::revision {

// Carries a draft out on the leader, from wherever the record says it stands: a leader that dies in
// the middle is followed by one that goes on (core/revision/draft.h, next_change).
//
// A change that cannot be carried out halts the draft: what was done before it is in force, told by
// a revision of its own, and the rest stays in the draft. When an engine is away it is tried again.
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

    // Until the draft is applied or halted. errc::unavailable and timed_out: try again.
    async<void> run(edit_lock::claim as);

private:
    async<void> finish(edit_lock::claim as, draft now, std::vector<draft_change> all);
    async<void> halt(
        edit_lock::claim as,
        draft now,
        std::vector<draft_change> done,
        std::int64_t failed,
        error why);

    dependencies deps_;
};

}  // namespace muster::revision
