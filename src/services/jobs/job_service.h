#pragma once

#include "core/jobs/job_changes.h"
#include "core/jobs/job_plan.h"
#include "services/jobs/job_idempotency_store.h"
#include "services/jobs/job_store.h"
#include "services/jobs/job_windows.h"
#include "services/jobs/task_state_cache.h"
#include "services/presence/presence_lookup.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

namespace muster::jobs {

// Creates and changes jobs. Checks the request, fixes its targets and writes the job. Callers check
// permissions and resolve queries to systems. Thread-safe.
class job_service {
public:
    struct options {
        rollout::default_batch_rule safe = {};
        std::uint64_t targets_max = 10'000'000;
        std::size_t open_max = 10'000;  // jobs that have not ended; further jobs are refused
    };
    struct dependencies {
        job_store& jobs;
        task_state_cache& task_states;
        muster::metastore& metastore;
        const presence::presence_lookup& presence;
        const job_windows* windows = nullptr;  // null: no system has any
        // Number of jobs that have not ended. Null: open_max is not checked.
        const std::atomic<std::size_t>* open_jobs = nullptr;
    };

    job_service(dependencies deps, options options)
        : deps_(std::move(deps)),
          options_(options),
          idempotency_(deps_.metastore, deps_.jobs.clock()) {}

    enum class empty_target { is_refused, is_allowed };
    struct new_job {
        job_spec spec;
        fleet::system_set targets;
        empty_target if_empty = empty_target::is_refused;
        std::optional<std::string> idempotency_key = std::nullopt;
        std::string digest = {};  // of the request, with an idempotency key
        // Result of check_spec, if the caller has it; otherwise the service checks the spec.
        std::optional<checked_work> checked = std::nullopt;
    };
    struct created_job {
        job_record record;
        bool existed = false;  // an earlier request with the same idempotency key created it
    };

    // Computes targets, canaries and batch of a job without creating it. errc::invalid says what is
    // wrong with the request.
    using plan = job_plan;
    result<plan> build_plan(const new_job& new_job) const;

    // errc::unavailable: too many jobs are open.
    async<created_job> create(new_job new_job);

    // Creates all of these jobs, or none, under one idempotency key. A repeated call returns the
    // jobs of the first call, even if the request differs: user, query and note identify them.
    // errc::invalid beyond together_max.
    static constexpr std::size_t together_max = job_store::replacements_max;
    struct request_key {
        std::string key;
        std::string digest;
    };
    async<std::vector<job_record>> create_together(std::vector<new_job> new_jobs, request_key key);

    async<job_record> pause(job_id job, change_origin request);
    async<job_record> resume(job_id job, change_origin request);
    async<job_record> cancel(job_id job, running_task_policy running_tasks, change_origin request);
    async<job_record> release(job_id job, change_origin request);
    // Creates a job for the systems on which this job failed.
    async<job_record> retry(job_id job, change_origin request);

private:
    result<void> check_load() const;
    // Finds the jobs that an earlier call created together from this id on. Empty if the id is free
    // or belongs to another request.
    async<std::vector<job_record>> find_created(job_id first, job_spec spec) const;
    async<bool> are_free(job_id first, std::size_t count) const;
    async<created_job> create_idempotent(
        job_with_targets job, job_idempotency_store::request request);

    dependencies deps_;
    options options_;
    job_idempotency_store idempotency_;
};

}  // namespace muster::jobs
