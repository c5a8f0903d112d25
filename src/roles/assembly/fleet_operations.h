#pragma once

#include "api/operations/group_label_policy.h"
#include "api/rest/configuration_api.h"
#include "api/rest/groups_api.h"
#include "api/rest/history_api.h"
#include "api/rest/rules_api.h"
#include "api/rest/schedules_api.h"
#include "api/rest/systems_api.h"
#include "api/rest/tags_api.h"
#include "api/rest/windows_api.h"
#include "roles/assembly/management_services.h"
#include "services/fleet/bulk_operation_queue.h"
#include "services/presence/history_reader.h"

#include <chrono>

namespace muster::roles {

// Owns the APIs of the fleet: keys, groups, tags, accept rules, maintenance windows, recurring
// schedules, configuration, presence history.
class fleet_operations {
public:
    fleet_operations(
        management_services& management,
        const api::registry& operations,
        std::chrono::hours history_retention);
    fleet_operations(const fleet_operations&) = delete;
    fleet_operations& operator=(const fleet_operations&) = delete;

    result<void> declare(api::registry& operations);
    void start(runtime::task_group& loops);

private:
    api::group_label_policy label_policy_;
    fleet::bulk_operation_queue bulk_operations_;
    api::systems_api systems_;
    api::groups_api groups_;
    api::tags_api tags_;
    api::rules_api rules_;
    api::windows_api windows_;
    api::schedules_api schedules_;
    api::configuration_api configuration_;
    presence::history::reader history_reader_;
    api::history_api history_;
};

}  // namespace muster::roles
