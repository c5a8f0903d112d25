#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/action_service.h"
#include "services/jobs/job_service.h"

#include <vector>

namespace muster::xmlrpc_api {

// schedule.*: lists actions by state and their systems; cancels, reruns, archives and deletes
// actions.
class schedule_methods {
public:
    schedule_methods(const action_service& actions, jobs::job_service& job_service)
        : actions_(actions), job_service_(job_service) {}

    result<void> declare(method_registry& registry);

private:
    async<method_response> list_all(call call);
    async<method_response> list_completed(call call);
    async<method_response> list_in_progress(call call);
    async<method_response> list_failed(call call);
    async<method_response> list_archived(call call);
    async<method_response> completed_systems(call call);
    async<method_response> failed_systems(call call);
    async<method_response> in_progress_systems(call call);
    async<method_response> cancel(call call);
    async<method_response> reschedule(call call);
    async<method_response> archive(call call);
    async<method_response> remove(call call);

    result<void> declare_lists(method_registry& registry);
    result<void> declare_systems(method_registry& registry);
    async<method_response> list_action_systems(call call, std::vector<task_state> states) const;
    // The actions of the argument `actionIds`; errc::not_found before anything is changed.
    async<std::vector<action>> find_actions(call call) const;
    async<void> set_marks(std::vector<action> actions, std::int64_t mark) const;
    // The systems on which an action runs again.
    async<fleet::system_set> find_rerun_targets(call call, action action) const;

    const action_service& actions_;
    jobs::job_service& job_service_;
};

}  // namespace muster::xmlrpc_api
