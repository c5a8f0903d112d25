#pragma once

#include "api/xmlrpc/methods/action_desk.h"
#include "api/xmlrpc/calls/method_book.h"
#include "services/jobs/job_desk.h"

#include <vector>

namespace muster::xmlrpc_api {

// schedule.*: which actions stand where, which systems of one do, and what is done with them.
class schedule_methods {
public:
    schedule_methods(const action_desk& actions, jobs::job_desk& makes)
        : actions_(actions), makes_(makes) {}

    result<void> declare(method_book& to);

private:
    async<answer> list_all(call asked);
    async<answer> list_completed(call asked);
    async<answer> list_in_progress(call asked);
    async<answer> list_failed(call asked);
    async<answer> list_archived(call asked);
    async<answer> completed_systems(call asked);
    async<answer> failed_systems(call asked);
    async<answer> in_progress_systems(call asked);
    async<answer> cancel(call asked);
    async<answer> reschedule(call asked);
    async<answer> archive(call asked);
    async<answer> remove(call asked);

    result<void> declare_lists(method_book& to);
    result<void> declare_systems(method_book& to);
    async<answer> systems_in(call asked, std::vector<task_state> states) const;
    // All of the argument `actionIds`; errc::not_found before anything is done.
    async<std::vector<action>> meant_by(call asked) const;
    async<void> set_marks(std::vector<action> which, std::int64_t mark) const;
    // The systems on which an action is done again.
    async<fleet::system_set> targets_again(call asked, action which) const;

    const action_desk& actions_;
    jobs::job_desk& makes_;
};

}  // namespace muster::xmlrpc_api
