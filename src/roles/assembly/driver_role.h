#pragma once

#include "roles/assembly/cluster_driver_inputs.h"
#include "roles/assembly/due_work.h"
#include "roles/assembly/event_delivery.h"
#include "roles/assembly/management_services.h"
#include "roles/assembly/record_pruners.h"
#include "roles/assembly/role.h"
#include "roles/driver/driver.h"
#include "services/jobs/job_supervisor.h"
#include "services/jobs/quota_allocator.h"

namespace muster::roles {

// The driver role: assigns slots to nodes and does the work that one server does for the cluster.
// It supervises jobs, runs schedules, delivers webhooks and prunes expired records. One driver is
// active; the others wait.
class driver_role final : public role {
public:
    struct options {
        monotonic::duration plan_interval{};
        std::size_t moves_per_step = 0;
        record_pruners::options retention = {};
        monotonic::duration calendar_refresh{};  // zero: only on demand
    };

    driver_role(management_services& management, const options& options);

    void start(runtime::task_group& loops) override;
    boost::asio::awaitable<void> stop() override;

private:
    server_services& base_;
    cluster_driver_inputs inputs_;
    driver::driver driver_;
    jobs::job_supervisor job_supervisor_;
    jobs::quota_allocator job_quotas_;
    event_delivery events_;
    due_work due_work_;
    record_pruners pruners_;
};

}  // namespace muster::roles
