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

// Makes and changes jobs for whoever may: checks what is asked for, freezes its targets, and writes
// it down. Which systems a query means and who is attached it is told. Thread-safe.
class job_service {
public:
    struct options {
        rollout::safe_limit safe = {};
        std::uint64_t targets_max = 10'000'000;
        std::size_t open_max = 10'000;  // jobs that have not ended; one more is refused
    };
    struct dependencies {
        job_store& jobs;
        task_state_cache& task_states;
        muster::metastore& metastore;
        const presence::presence_lookup& presence;
        const job_windows* windows = nullptr;  // null: nobody has any
        // How many jobs have not ended, as far as is known. Null: they are not counted.
        const std::atomic<std::size_t>* open_jobs = nullptr;
    };

    job_service(dependencies deps, options options)
        : deps_(std::move(deps)), options_(options), claims_(deps_.metastore, deps_.jobs.clock()) {}

    enum class empty_target { is_refused, is_allowed };
    struct new_job {
        job_spec spec;
        fleet::system_set targets;
        empty_target nobody = empty_target::is_refused;
        std::optional<std::string> claim = std::nullopt;  // an Idempotency-Key
        std::string digest = {};                          // of the request, with a claim
        // By whoever asks; none: it is checked here.
        std::optional<checked_work> checked = std::nullopt;
    };
    struct created_job {
        job_record record;
        bool again = false;  // it was made before, under the same claim
    };

    // What would be made: targets, canaries, batch. errc::invalid says what is wrong with it.
    using plan = job_plan;
    result<plan> foresee(const new_job& new_job) const;

    // errc::unavailable: overloaded, too many are open.
    async<created_job> make(new_job new_job);

    // Several at once, all of them or none, under one claim. Asked for again they are those that
    // were made the first time, whatever is wanted by then: who made them, for which query and with
    // which note says that they are. errc::invalid beyond together_max.
    static constexpr std::size_t together_max = job_store::heirs_max;
    struct joint_claim {
        std::string key;
        std::string digest;
    };
    async<std::vector<job_record>> make_together(std::vector<new_job> new_jobs, joint_claim claim);

    async<job_record> pause(job_id job, order from);
    async<job_record> resume(job_id job, order from);
    async<job_record> cancel(job_id job, running_tasks running_tasks, order from);
    async<job_record> release(job_id job, order from);
    // A new job for the systems where this one failed.
    async<job_record> retry(job_id job, order from);

private:
    result<void> check_load() const;
    // Of the jobs that were made together from this id on, those that are there; none: it is free,
    // or somebody else's.
    async<std::vector<job_record>> made_before(job_id first, job_spec like) const;
    async<bool> are_free(job_id first, std::size_t count) const;
    async<created_job> make_claimed(job_with_targets job, job_idempotency_store::request request);

    dependencies deps_;
    options options_;
    job_idempotency_store claims_;
};

}  // namespace muster::jobs
