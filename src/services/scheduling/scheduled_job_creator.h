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

// Makes a job of a run that a recurring schedule has due. Its targets are those the query means at
// that moment. The same run is the same job, however often it is started. What becomes of each run
// is an event before the schedule goes on: it ran, it was skipped, or nobody was there to start it.
//
// A run that brings systems to their configuration is a job for each set of files, all of them made
// at once: asked for again, they are those of the first time.
class scheduled_job_creator final : public schedule_runner::starter {
public:
    struct dependencies {
        jobs::job_service& job_service;
        const windows::window_store& windows;
        events::event_log& events;
        muster::clock& clock;
        runtime::logger& log;
        const fleet::system_selector& systems;
        const configuration::deployment& deployed;
    };

    explicit scheduled_job_creator(dependencies deps) : deps_(std::move(deps)) {}

    async<void> start(schedule_runner::run run) override;
    async<void> tell_left_out(schedule_runner::run run, error why) override;
    async<void> tell_missed(std::string schedule, schedules::due_answer due) override;

private:
    using run_due = schedule_runner::run;

    struct work {
        std::string function;
        std::string arguments;
    };

    static jobs::job_service::new_job wanted(
        const run_due& run, fleet::system_set targets, work work);
    async<void> start_deployment(run_due run, fleet::system_set targets, std::uint64_t left_out);
    async<std::vector<jobs::job_service::new_job>> jobs_of(
        run_due run,
        std::vector<configuration::deployment::part> parts,
        configuration::deployment::mode mode) const;
    async<void> skip(run_due run, std::string reason, std::uint64_t left_out);
    // Takes those off who are outside of their window; how many that were.
    std::uint64_t leave_out_closed(
        const schedule_runner::run& run, fleet::system_set& targets) const;

    dependencies deps_;
};

}  // namespace muster::scheduling
