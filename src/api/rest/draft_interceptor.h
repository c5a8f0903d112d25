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

// Intercepts calls that change common data (docs/concepts/drafts.md). Thread-safe.
//
// - With an edit session, the leader writes the call into the draft.
// - Without one, the call runs at once while it holds the cluster-wide edit lock; a revision
//   follows. While an edit session is open, the call is refused.
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
        operation_lookup others = nullptr;  // operations that are not in the registry
    };

    explicit draft_interceptor(dependencies deps) : deps_(std::move(deps)) {}

    async<reply> intercept(api::sharing sharing, operation_handler handler, call request) override;

    // Runs a function on the leader, here or by forwarding the call.
    using leader_function = std::function<async<reply>(revision::edit_lock::claim, call)>;
    async<reply> run_on_leader(call call, leader_function function);

    void wake_reconciler() const { deps_.reconciler.wake(); }

private:
    async<reply> change_directly(operation_handler handler, call call);
    async<reply> write_into_draft(revision::edit_lock::claim claim, call call);

    dependencies deps_;
};

}  // namespace muster::api
