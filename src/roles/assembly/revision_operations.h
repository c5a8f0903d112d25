#pragma once

#include "api/operations/operation_lookup.h"
#include "api/peer/leader_client.h"
#include "api/rest/draft_change_executor.h"
#include "api/rest/draft_interceptor.h"
#include "api/rest/edit_sessions_api.h"
#include "api/rest/revert_api.h"
#include "api/rest/revisions_api.h"
#include "roles/assembly/management_services.h"
#include "services/revision/revision_services.h"

namespace muster::roles {

// Owns the editing of common data: edit sessions, draft, revisions.
class revision_operations {
public:
    revision_operations(
        management_services& management,
        const api::registry& operations,
        api::operation_lookup others,  // operations that are not in the registry
        revision::editing_rules rules);
    revision_operations(const revision_operations&) = delete;
    revision_operations& operator=(const revision_operations&) = delete;

    result<void> declare(api::registry& operations);
    result<void> add_routes(net::http::router& routes) { return leader_.add_routes(routes); }
    void start(runtime::task_group& loops) { editing_.start(loops); }
    async<void> stop() { return editing_.stop(); }

    const api::revisions_api& revisions() const { return revisions_; }

private:
    api::draft_change_executor executor_;
    revision::revision_services editing_;
    api::leader_client leader_;
    api::draft_interceptor interceptor_;
    api::edit_sessions_api sessions_;
    api::revisions_api revisions_;
    api::revert_api reverts_;
};

}  // namespace muster::roles
