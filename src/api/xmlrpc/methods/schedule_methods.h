#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/action_service.h"
#include "services/jobs/job_service.h"

#include <vector>

namespace muster::xmlrpc_api {

// schedule.*: which actions stand where, which systems of one do, and what is done with them.
class schedule_methods {
public:
    schedule_methods(const action_service& actions, jobs::job_service& job_service)
        : actions_(actions), job_service_(job_service) {}

    result<void> declare(method_registry& to);

private:
    async<answer> list_all(call call);
    async<answer> list_completed(call call);
    async<answer> list_in_progress(call call);
    async<answer> list_failed(call call);
    async<answer> list_archived(call call);
    async<answer> completed_systems(call call);
    async<answer> failed_systems(call call);
    async<answer> in_progress_systems(call call);
    async<answer> cancel(call call);
    async<answer> reschedule(call call);
    async<answer> archive(call call);
    async<answer> remove(call call);

    result<void> declare_lists(method_registry& to);
    result<void> declare_systems(method_registry& to);
    async<answer> systems_in(call call, std::vector<task_state> states) const;
    // All of the argument `actionIds`; errc::not_found before anything is done.
    async<std::vector<action>> meant_by(call call) const;
    async<void> set_marks(std::vector<action> actions, std::int64_t mark) const;
    // The systems on which an action is done again.
    async<fleet::system_set> targets_again(call call, action action) const;

    const action_service& actions_;
    jobs::job_service& job_service_;
};

}  // namespace muster::xmlrpc_api
