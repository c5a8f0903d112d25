#pragma once

#include "core/fleet/system_set.h"
#include "services/configuration/deployment.h"
#include "services/events/event_log.h"
#include "services/fleet/system_selector.h"
#include "services/jobs/job_service.h"
#include "services/scheduling/schedule_runner.h"

#include <cstdint>
#include <string>
#include <vector>

namespace muster::scheduling {

// Creates the job of a due run of a recurring schedule. Resolves the query of the schedule at that
// moment. Repeated starts of one run yield the same job. Writes an event for each run before the
// schedule goes on: ran, skipped or missed.
//
// A run that deploys configuration files creates a job for each set of files, all at once. Repeated
// starts return the jobs of the first start. Not thread-safe; call from one strand.
class scheduled_job_creator final : public schedule_runner::starter {
public:
    struct dependencies {
        jobs::job_service& job_service;
        const windows::window_store& windows;
        events::event_log& events;
        muster::clock& clock;
        runtime::logger& log;
        const fleet::system_selector& systems;
        const configuration::deployment& deployment;
    };

    explicit scheduled_job_creator(dependencies deps) : deps_(std::move(deps)) {}

    async<void> start(schedule_runner::run run) override;
    async<void> record_skipped(schedule_runner::run run, error reason) override;
    async<void> record_missed(std::string schedule, schedules::due_result due) override;

private:
    using run_due = schedule_runner::run;

    struct work {
        std::string function;
        std::string arguments;
    };

    static jobs::job_service::new_job build_job(
        const run_due& run, fleet::system_set targets, work work);
    async<void> start_deployment(run_due run, fleet::system_set targets, std::uint64_t left_out);
    async<std::vector<jobs::job_service::new_job>> build_deployment_jobs(
        run_due run,
        std::vector<configuration::deployment::part> parts,
        configuration::deployment::mode mode) const;
    async<void> skip(run_due run, std::string reason, std::uint64_t left_out);
    // Removes targets outside of their window, and returns their number.
    std::uint64_t remove_closed(const schedule_runner::run& run, fleet::system_set& targets) const;

    dependencies deps_;
};

}  // namespace muster::scheduling
