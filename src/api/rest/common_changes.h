#pragma once

#include "api/operations/common_gate.h"
#include "api/peer/leader_line.h"
#include "api/operations/operation_finder.h"
#include "services/revision/draft_desk.h"
#include "services/revision/leadership.h"
#include "runtime/log.h"

#include <functional>
#include <string>

namespace muster::api {

// What becomes of a call that changes common data (docs/revisions.md):
//
// - With an editing session it is written into the draft, on the leader.
// - Without one it takes a turn, in which nobody else in the cluster changes common data, and is
//   done at once; the revision that tells of it follows. While somebody edits it is refused.
class common_changes final : public common_gate {
public:
    struct surroundings {
        metastore& store;
        revision::leadership& seat;
        revision::draft_desk& desk;
        const leader_line& line;
        clock& time;
        runtime::logger& log;
        std::string server;
        std::function<void()> changed;      // rings the keeper
        operation_finder others = nullptr;  // what is not in the registry
    };

    explicit common_changes(surroundings around) : around_(std::move(around)) {}

    async<reply> pass(api::sharing how, action does, call asked) override;

    // Does something as the leader, wherever that is.
    using work = std::function<async<reply>(revision::leadership::claim, call)>;
    async<reply> at_leader(call asked, work does);

    // There is something to do for the keeper.
    void ring() const { around_.changed(); }

    // A change of a draft, carried out in its author's name: with what they were allowed to when
    // they made it, and still are.
    async<void> carry_out(
        revision::drafted_change change, const registry* all, const front_desk* desk);

private:
    async<reply> change_now(action does, call asked);
    async<reply> write_into_draft(revision::leadership::claim as, call asked);

    surroundings around_;
};

}  // namespace muster::api
