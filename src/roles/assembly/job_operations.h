#pragma once

#include "api/peer/node_client.h"
#include "api/rest/events_api.h"
#include "api/rest/job_detail_reader.h"
#include "api/rest/jobs_api.h"
#include "api/rest/output_api.h"
#include "api/rest/running_tasks_api.h"
#include "api/rest/task_results_api.h"
#include "api/rest/webhooks_api.h"
#include "roles/assembly/management_services.h"

namespace muster::roles {

// Owns the APIs of jobs: jobs, results, output, events, webhooks.
class job_operations {
public:
    job_operations(management_services& management, const api::system_directory& directory);
    job_operations(const job_operations&) = delete;
    job_operations& operator=(const job_operations&) = delete;

    result<void> declare(api::registry& operations);
    void export_metrics(runtime::metrics& metrics) const { events_.export_to(metrics); }

    const api::job_detail_reader& reader() const { return reader_; }

private:
    api::job_detail_reader reader_;
    api::node_client nodes_;
    api::jobs_api jobs_;
    api::running_tasks_api running_tasks_;
    api::task_results_api results_;
    api::output_api output_;
    api::events_api events_;
    api::webhooks_api webhooks_;
};

}  // namespace muster::roles
