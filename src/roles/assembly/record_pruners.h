#pragma once

#include "roles/assembly/management_services.h"
#include "services/configuration/file_content_pruner.h"
#include "services/fleet/evicted_key_pruner.h"
#include "services/presence/presence_history_pruner.h"
#include "services/retention/job_record_pruner.h"

#include <atomic>
#include <chrono>

namespace muster::roles {

// Delete expired records: evicted keys, job records, presence history, unused file contents. They
// run on every driver; they work while `active` is true.
class record_pruners {
public:
    struct options {
        retention::job_record_pruner::options jobs = {};
        std::chrono::hours presence_retention{};
    };

    record_pruners(management_services& management, const options& options, std::size_t pool_max);

    void start(runtime::task_group& loops, const std::atomic<bool>& active);
    void export_metrics(runtime::metrics& metrics) { job_records_.export_to(metrics); }

private:
    fleet::evicted_key_pruner evicted_keys_;
    retention::job_record_pruner job_records_;
    presence::history::presence_history_pruner presence_history_;
    configuration::file_content_pruner file_contents_;
};

}  // namespace muster::roles
