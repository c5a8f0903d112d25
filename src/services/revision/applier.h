#pragma once

#include "ports/clock.h"
#include "services/revision/draft_desk.h"
#include "services/revision/press.h"
#include "runtime/log.h"

#include <functional>
#include <string>

namespace muster::revision {

// Carries a draft out on the leader, from wherever the record says it stands: a leader that dies in
// the middle is followed by one that goes on (core/revision/draft.h, next_change).
//
// A change that cannot be carried out halts the draft: what was done before it is in force, told by
// a revision of its own, and the rest stays in the draft. When an engine is away it is tried again.
class applier {
public:
    struct surroundings {
        metastore& store;
        draft_desk& desk;
        press& printing;
        clock& time;
        runtime::logger& log;
        // Does what a change says, in its author's name and with what they may do now.
        std::function<async<void>(drafted_change)> carry_out;
    };

    explicit applier(surroundings around) : around_(std::move(around)) {}

    // Until the draft is applied or halted. errc::unavailable and timed_out: try again.
    async<void> run(leadership::claim as);

private:
    async<void> finish(leadership::claim as, draft now, std::vector<drafted_change> all);
    async<void> halt(
        leadership::claim as,
        draft now,
        std::vector<drafted_change> done,
        std::int64_t failed,
        error why);

    surroundings around_;
};

}  // namespace muster::revision
