#pragma once

#include "roles/assembly/management_services.h"
#include "services/configuration/file_content_pruner.h"
#include "services/fleet/evicted_key_pruner.h"
#include "services/presence/presence_history_pruner.h"
#include "services/retention/job_record_pruner.h"

#include <atomic>
#include <chrono>

namespace muster::roles {

// Remove what is past its time: evicted keys, records of jobs, where systems were, contents of
// files that nothing refers to. They run on every driver, and work while `active` is true.
class record_pruners {
public:
    struct options {
        retention::job_record_pruner::options jobs = {};
        std::chrono::hours presence_kept{};
    };

    record_pruners(
        management_services& management, const options& options, std::size_t crowded_pool);

    void start(runtime::task_group& loops, const std::atomic<bool>& active);
    void export_metrics(runtime::metrics& to) { job_records_.export_to(to); }

private:
    fleet::evicted_key_pruner evicted_keys_;
    retention::job_record_pruner job_records_;
    presence::history::presence_history_pruner presence_history_;
    configuration::file_content_pruner file_contents_;
};

}  // namespace muster::roles
