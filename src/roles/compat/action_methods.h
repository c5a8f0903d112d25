#pragma once

#include "roles/compat/action_desk.h"
#include "roles/compat/chain_book.h"
#include "roles/compat/chain_methods.h"
#include "roles/compat/event_methods.h"
#include "roles/compat/fleet_view.h"
#include "roles/compat/maintenance_methods.h"
#include "roles/compat/recurring_methods.h"
#include "roles/compat/recurring_refusals.h"
#include "roles/compat/schedule_methods.h"
#include "roles/compat/system_action_methods.h"

#include <functional>
#include <string>

namespace muster::compat {

// Everything of the compatible API that makes work, plans it and tells what became of it.
class action_methods {
public:
    struct parts {
        cluster::number_book& numbers;
        const gateway::job_reader& reads;
        const gateway::job_targets& targets;
        jobs::job_desk& makes;
        const jobs::job_book& open;
        const windows::window_book& windows;
        ledger& records;
    };
    struct surroundings {
        const gateway::registry& natives;
        const fleet_view& view;
        clock& time;
        parts with;
        std::function<std::string(system_number)> base_channel = nullptr;  // action_desk.h
    };

    explicit action_methods(const surroundings& around);
    action_methods(const action_methods&) = delete;
    action_methods& operator=(const action_methods&) = delete;

    result<void> declare(method_book& to);

    // For methods of other files that make jobs, or add to chains.
    const action_desk& desk() const { return desk_; }
    const chain_methods& chains() const { return chains_; }
    const native_api& natives() const { return natives_; }

private:
    native_api natives_;
    action_desk desk_;
    chain_book kept_chains_;
    schedule_methods schedule_;
    system_action_methods systems_;
    event_methods events_;
    chain_methods chains_;
    recurring_methods recurring_;
    recurring_refusals never_recurring_;
    maintenance_methods maintenance_;
};

}  // namespace muster::compat
