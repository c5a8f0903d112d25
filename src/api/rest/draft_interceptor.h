#pragma once

#include "api/operations/common_data_interceptor.h"
#include "api/operations/operation_lookup.h"
#include "api/peer/leader_client.h"
#include "runtime/log.h"
#include "runtime/wakeup.h"
#include "services/revision/draft_service.h"
#include "services/revision/edit_lock.h"

#include <functional>
#include <string>

namespace muster::api {

// What becomes of a call that changes common data (docs/revisions.md):
//
// - With an editing session it is written into the draft, on the leader.
// - Without one it takes a turn, in which nobody else in the cluster changes common data, and is
//   done at once; the revision that tells of it follows. While somebody edits it is refused.
class draft_interceptor final : public common_data_interceptor {
public:
    struct dependencies {
        muster::metastore& metastore;
        revision::edit_lock& lock;
        revision::draft_service& drafts;
        const leader_client& leader;
        muster::clock& clock;
        runtime::logger& log;
        std::string server;
        runtime::wakeup& reconciler;
        operation_finder others = nullptr;  // what is not in the registry
    };

    explicit draft_interceptor(dependencies deps) : deps_(std::move(deps)) {}

    async<reply> pass(api::sharing sharing, action does, call request) override;

    // Does something as the leader, wherever that is.
    using work = std::function<async<reply>(revision::edit_lock::claim, call)>;
    async<reply> at_leader(call call, work does);

    // There is something to do for the reconciler.
    void wake_reconciler() const { deps_.reconciler.wake(); }

private:
    async<reply> change_now(action does, call call);
    async<reply> write_into_draft(revision::edit_lock::claim as, call call);

    dependencies deps_;
};

}  // namespace muster::api
